// SPDX-License-Identifier: Apache-2.0
#include "gui/models/help_pages.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QHash>
#include <QObject>
#include <QRegularExpression>
#include <algorithm>

namespace mansard::gui {
namespace {

const QString kRoot = QStringLiteral("qrc:/docs/");

bool is_fence(const QString& line) {
  const QString start = line.trimmed();
  return start.startsWith(QStringLiteral("```")) || start.startsWith(QStringLiteral("~~~"));
}

// Calls `visit(line, in_code)` with each line of the page.
template <typename Visit>
void for_each_line(const QString& markdown, Visit visit) {
  bool in_code = false;
  for (const QString& line : markdown.split(u'\n')) {
    const bool fence = is_fence(line);
    visit(line, in_code || fence);
    if (fence) in_code = !in_code;
  }
}

int heading_level(const QString& line) {
  int level = 0;
  while (level < line.size() && level < 6 && line[level] == u'#') ++level;
  return level > 0 && level < line.size() && line[level] == u' ' ? level : 0;
}

// Generates anchors that are unique within a page.
class Anchors {
 public:
  QString of(const QString& heading) {
    const QString anchor = heading_anchor(heading);
    const int before = seen_[anchor]++;
    return before == 0 ? anchor : anchor + u'-' + QString::number(before);
  }

 private:
  QHash<QString, int> seen_;
};

std::vector<HelpHeading> headings_of(const QString& markdown) {
  std::vector<HelpHeading> headings;
  Anchors anchors;
  for_each_line(markdown, [&](const QString& line, bool in_code) {
    const int level = in_code ? 0 : heading_level(line);
    if (level == 0) return;
    const QString text = plain_line(line.mid(level + 1));
    headings.push_back({level, text, anchors.of(text)});
  });
  return headings;
}

QString without_missing_pictures(const QString& page, QString markdown) {
  static const QRegularExpression picture(QStringLiteral(R"(!\[([^\]]*)\]\(([^)\s]+)\))"));
  QString out;
  qsizetype at = 0;
  for (auto matches = picture.globalMatch(markdown); matches.hasNext();) {
    const QRegularExpressionMatch match = matches.next();
    const QUrl picture_url = help_url(page).resolved(QUrl(match.captured(2)));
    out += QStringView(markdown).mid(at, match.capturedStart() - at);
    out += QFile::exists(u':' + picture_url.path()) ? match.captured()
                                                    : QStringLiteral("*%1*").arg(match.captured(1));
    at = match.capturedEnd();
  }
  return out + markdown.mid(at);
}

}  // namespace

QUrl help_url(const QString& link) { return QUrl(kRoot + link); }

QString help_file(const QUrl& url) {
  const QString address = url.toString(QUrl::RemoveFragment);
  return address.startsWith(kRoot) ? address.mid(kRoot.size()) : QString();
}

QString plain_line(const QString& markdown) {
  static const QRegularExpression link(QStringLiteral(R"(!?\[([^\]]*)\]\([^)]*\))"));
  static const QRegularExpression line_mark(
      QStringLiteral(R"(^\s*(#{1,6}\s+|[-*]\s+|\d+\.\s+|>\s*))"));
  static const QRegularExpression emphasis(
      QStringLiteral(R"(\*\*|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w))"));
  static const QRegularExpression cell_edge(QStringLiteral(R"(\s*\|\s*)"));
  QString text = markdown;
  text.replace(link, QStringLiteral("\\1")).remove(line_mark).remove(emphasis);
  if (text.startsWith(u'|')) text.replace(cell_edge, QStringLiteral("  "));
  return text.trimmed();
}

QString heading_anchor(const QString& text) {
  QString anchor;
  for (const QChar c : text.toLower()) {
    if (c.isLetterOrNumber() || c == u'-' || c == u'_') anchor += c;
    if (c == u' ') anchor += u'-';
  }
  return anchor;
}

HelpPage help_page(const QString& file, const QString& text) {
  static const QRegularExpression comment(QStringLiteral(R"(\A\s*<!--.*?-->\s*)"),
                                          QRegularExpression::DotMatchesEverythingOption);
  HelpPage page;
  page.file = file;
  QString markdown = text;
  page.markdown = without_missing_pictures(file, markdown.remove(comment));
  page.headings = headings_of(page.markdown);
  page.title = page.headings.empty() ? file : page.headings.front().text;
  return page;
}

HelpPages::HelpPages() {
  QStringList files;
  const QDir docs(QStringLiteral(":/docs"));
  for (QDirIterator it(docs.path(), {QStringLiteral("*.md")}, QDir::Files,
                       QDirIterator::Subdirectories);
       it.hasNext();) {
    files << docs.relativeFilePath(it.next());
  }
  // Subfolders last: they contain details.
  std::ranges::sort(files, {},
                    [](const QString& file) { return std::pair(file.count(u'/'), file); });
  for (const QString& name : files) {
    QFile file(docs.filePath(name));
    if (file.open(QIODevice::ReadOnly)) {
      pages_.push_back(help_page(name, QString::fromUtf8(file.readAll())));
    }
  }
}

const HelpPage* HelpPages::find(const QString& file) const {
  const auto found = std::ranges::find(pages_, file, &HelpPage::file);
  return found == pages_.end() ? nullptr : &*found;
}

std::vector<HelpHit> HelpPages::search(const QString& typed, std::size_t limit) const {
  const QStringList words = typed.simplified().split(u' ', Qt::SkipEmptyParts);
  if (words.isEmpty()) return {};
  std::vector<HelpHit> in_headings;
  std::vector<HelpHit> in_text;
  for (std::size_t page = 0; page < pages_.size(); ++page) {
    std::size_t next_heading = 0;
    QString anchor;
    for_each_line(pages_[page].markdown, [&](const QString& line, bool in_code) {
      const bool heading = !in_code && heading_level(line) > 0;
      if (heading) anchor = pages_[page].headings[next_heading++].anchor;
      const auto has_all = [&](const QString& text) {
        return std::ranges::all_of(
            words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
      };
      // Cheap test first: most lines do not match even with their markup, and removing it takes
      // time.
      if (!has_all(line)) return;
      const QString plain = in_code ? line.trimmed() : plain_line(line);
      const bool all = has_all(plain);
      if (all) (heading ? in_headings : in_text).push_back({page, anchor, plain});
    });
  }
  in_headings.insert(in_headings.end(), in_text.begin(), in_text.end());
  if (in_headings.size() > limit) in_headings.resize(limit);
  return in_headings;
}

std::vector<PaletteEntry> entries_of(const HelpPages& pages,
                                     const std::function<void(const QString&)>& open) {
  std::vector<PaletteEntry> entries;
  for (const HelpPage& page : pages.all()) {
    for (const HelpHeading& heading : page.headings) {
      const bool first = &heading == &page.headings.front();
      const QString link = first ? page.file : page.file + u'#' + heading.anchor;
      entries.push_back({heading.text, first ? QString() : page.title, QObject::tr("Help"),
                         [open, link] { open(link); }});
    }
  }
  return entries;
}

}  // namespace mansard::gui
