// SPDX-License-Identifier: Apache-2.0
// What must be known before any figure is believed stands before all of them.
#include "reports/formats/text.h"
#include "reports/section.h"

namespace mansard {
namespace {

std::optional<Section> make(const SectionContext& context) {
  if (context.run->notes.empty()) return std::nullopt;
  Section section;
  section.html = "<ul role=\"note\" aria-label=\"Notes\">\n";
  for (const std::string& note : context.run->notes) {
    section.html += "<li>" + escape_html(note) + "</li>\n";
  }
  section.html += "</ul>\n";
  return section;
}

}  // namespace

void register_run_notes(SectionRegistry& registry) {
  registry.add({"notes", SectionScope::run, 5, make});
}

}  // namespace mansard
