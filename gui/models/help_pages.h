// SPDX-License-Identifier: Apache-2.0
// The project's documentation (docs/*.md), embedded in the program as resources.
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
  QString text;    // without markup
  QString anchor;  // as in links: "what-it-shows"
};

struct HelpPage {
  QString file;   // relative to docs: "report.md", "validation/h200.md"
  QString title;  // its first heading
  QString markdown;
  std::vector<HelpHeading> headings;
};

struct HelpHit {
  std::size_t page = 0;
  QString anchor;  // of the preceding heading; empty before the first one
  QString line;    // plain text
};

class HelpPages {
 public:
  // Loads the pages from the program's resources.
  HelpPages();
  explicit HelpPages(std::vector<HelpPage> pages) : pages_(std::move(pages)) {}

  const std::vector<HelpPage>& all() const { return pages_; }
  const HelpPage* find(const QString& file) const;  // null if not found

  // The lines that contain all of the words, case-insensitive; headings first. At most `limit`.
  std::vector<HelpHit> search(const QString& words, std::size_t limit = 200) const;

 private:
  std::vector<HelpPage> pages_;
};

// `text` is the file's content. The license comment is removed; pictures that are not in the
// resources are replaced by their descriptions.
HelpPage help_page(const QString& file, const QString& text);

// A line of Markdown as plain text: no markup, only the text of links.
QString plain_line(const QString& markdown);

// Anchor of a heading, as GitHub generates it; the n-th heading with the same text on a page gets
// "-n" (n from 1).
QString heading_anchor(const QString& text);

// The resource URL of a page or of "page.md#anchor", against which its links are resolved.
QUrl help_url(const QString& link);
// The file of a resource URL ("report.md") without the anchor; empty for other URLs.
QString help_file(const QUrl& url);

// Palette entries for the pages and their headings. `open` receives links as HelpWindow::open()
// takes them: "report.md#the-timeline".
std::vector<PaletteEntry> entries_of(const HelpPages& pages,
                                     const std::function<void(const QString&)>& open);

}  // namespace mansard::gui
