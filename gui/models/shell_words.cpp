// SPDX-License-Identifier: Apache-2.0
#include "gui/models/shell_words.h"

#include <QObject>

#include "support/text.h"

namespace mansard::gui {
namespace {

class Splitter {
 public:
  explicit Splitter(const QString& line) : line_(line) {}

  ShellWords split() {
    while (at_ < line_.size()) step();
    end_word();
    if (!out_.problem.isEmpty()) out_.words.clear();
    return out_;
  }

 private:
  void step() {
    const QChar c = line_[at_++];
    if (c == u'\'') return quoted_plainly();
    if (c == u'"') return quoted();
    if (c.isSpace()) return end_word();
    if (c == u'\\' && at_ < line_.size()) return append(line_[at_++]);
    static const QString special = QStringLiteral("|&;<>$`*?~(){}!#");
    // '#', '~' and '!' are special only at the start of a word.
    const bool only_in_front = c == u'#' || c == u'~' || c == u'!';
    if (special.contains(c) && !(only_in_front && in_word_) && !out_.not_interpreted.contains(c)) {
      out_.not_interpreted += c;
    }
    append(c);
  }

  void quoted_plainly() {
    in_word_ = true;
    const qsizetype end = line_.indexOf(u'\'', at_);
    if (end < 0) return stay_open(u'\'');
    word_ += line_.mid(at_, end - at_);
    at_ = end + 1;
  }

  void quoted() {
    in_word_ = true;
    while (at_ < line_.size()) {
      const QChar c = line_[at_++];
      if (c == u'"') return;
      const bool escapes =
          c == u'\\' && at_ < line_.size() && QStringLiteral("\"\\$`").contains(line_[at_]);
      word_ += escapes ? line_[at_++] : c;
    }
    stay_open(u'"');
  }

  void append(QChar c) {
    in_word_ = true;
    word_ += c;
  }

  void end_word() {
    if (in_word_) out_.words << word_;
    word_.clear();
    in_word_ = false;
  }

  void stay_open(QChar quote) {
    at_ = line_.size();
    out_.problem = QObject::tr("The quote %1 is not closed.").arg(quote);
  }

  const QString& line_;
  qsizetype at_ = 0;
  QString word_;
  bool in_word_ = false;
  ShellWords out_;
};

}  // namespace

ShellWords split_shell_words(const QString& line) { return Splitter(line).split(); }

QString join_shell_words(const QStringList& words) {
  QStringList quoted;
  for (const QString& word : words)
    quoted << QString::fromStdString(shell_quoted(word.toStdString()));
  return quoted.join(u' ');
}

}  // namespace mansard::gui
