// SPDX-License-Identifier: Apache-2.0
// The output of a program as lines of text, bounded in memory.
#pragma once

#include <QByteArray>
#include <QByteArrayView>
#include <QString>
#include <deque>
#include <vector>

namespace mansard::gui {

// Splits a byte stream into lines. A carriage return discards the line so far, as on a terminal;
// lines longer than kMaxLine_bytes are cut.
class LineSplitter {
 public:
  static constexpr qsizetype kMaxLine_bytes = 65'536;

  std::vector<QByteArray> feed(QByteArrayView bytes);  // the completed lines
  QByteArray take_rest();                              // the last, unterminated line

 private:
  QByteArray line_;
  bool returned_ = false;
};

// For display: without escape sequences and control characters except tabs, with U+FFFD for invalid
// UTF-8, and an ellipsis after `max_length` characters.
QString printable(QByteArrayView bytes, qsizetype max_length = 1'000);

// The most recent lines.
class ToolLog {
 public:
  static constexpr std::size_t kMaxLines = 2'000;

  void add(const QString& line);
  void clear();

  const std::deque<QString>& lines() const { return lines_; }
  // Number of the oldest line that is still kept, counting all lines ever added.
  std::size_t first() const { return first_; }
  std::size_t end() const { return first_ + lines_.size(); }

 private:
  std::deque<QString> lines_;
  std::size_t first_ = 0;
};

}  // namespace mansard::gui
