// SPDX-License-Identifier: Apache-2.0
// The project's documentation (docs/*.md), which is part of the program.
#pragma once

#include <QString>
#include <QStringList>
#include <QUrl>
#include <functional>
#include <vector>

#include "gui/models/palette_model.h"

namespace mansard::gui {

struct HelpHeading {
  int level = 1;
  QString text;    // without marks
  QString anchor;  // as links name it: "what-it-shows"
};

struct HelpPage {
  QString file;   // "report.md", "validation/h200.md": of docs
  QString title;  // its first heading
  QString markdown;
  std::vector<HelpHeading> headings;
};

struct HelpHit {
  std::size_t page = 0;
  QString anchor;  // of the heading above it; empty: before the first
  QString line;    // plain text
};

class HelpPages {
 public:
  // Of the program's resources.
  HelpPages();
  explicit HelpPages(std::vector<HelpPage> pages) : pages_(std::move(pages)) {}

  const std::vector<HelpPage>& all() const { return pages_; }
  const HelpPage* find(const QString& file) const;  // null: there is none

  // The lines with all of the words, whatever their case; in headings first. At most `limit`.
  std::vector<HelpHit> search(const QString& words, std::size_t limit = 200) const;

 private:
  std::vector<HelpPage> pages_;
};

// `text` as it stands in docs. The comment with the license is not part of the page; a picture that
// is not in the resources is replaced by its description.
HelpPage help_page(const QString& file, const QString& text);

// A line of Markdown as text: no marks, of a link its words.
QString plain_line(const QString& markdown);

// Of a heading, as GitHub makes it; the n-th of the same text on a page gets "-n" (n from 1).
QString heading_anchor(const QString& text);

// Where a page, or "page.md#anchor", lies in the resources: what links on it are relative to.
QUrl help_url(const QString& link);
// "report.md" of an address there, whatever its anchor; empty: an address elsewhere.
QString help_file(const QUrl& url);

// The pages and their headings, as the palette finds them. `open` is given links as
// HelpWindow::open() takes them: "report.md#the-timeline".
std::vector<PaletteEntry> entries_of(const HelpPages& pages,
                                     const std::function<void(const QString&)>& open);

}  // namespace mansard::gui
