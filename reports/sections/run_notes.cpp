// SPDX-License-Identifier: Apache-2.0
// The notes (caveats) of a run, shown after its answer.
#include "reports/section.h"
#include "reports/web/html.h"

namespace mansard::reports {
namespace {

std::optional<Section> make_run_notes(const SectionContext& context) {
  if (context.run->notes.empty()) return std::nullopt;
  return Section{.title = "", .html = html_notes(context.run->notes), .data_json = ""};
}

}  // namespace

void register_run_notes(SectionRegistry& registry) {
  registry.add({"notes", SectionScope::run, 12, make_run_notes});
}

}  // namespace mansard::reports
