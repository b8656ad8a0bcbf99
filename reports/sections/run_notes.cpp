// SPDX-License-Identifier: Apache-2.0
// What must be known before any figure is believed stands before all of them.
#include "reports/section.h"
#include "reports/web/html.h"

namespace mansard::reports {
namespace {

std::optional<Section> make(const SectionContext& context) {
  if (context.run->notes.empty()) return std::nullopt;
  return Section{.title = "", .html = html_notes(context.run->notes), .data_json = ""};
}

}  // namespace

void register_run_notes(SectionRegistry& registry) {
  registry.add({"notes", SectionScope::run, 5, make});
}

}  // namespace mansard::reports
