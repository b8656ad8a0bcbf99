// SPDX-License-Identifier: Apache-2.0
#include "gui/models/help_entries.h"

#include <QObject>

namespace mansard::gui {

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
