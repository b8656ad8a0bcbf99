// SPDX-License-Identifier: Apache-2.0
#include "reports/section.h"
#include "reports/web/roofline_view.h"

namespace mansard {
namespace {

std::optional<Section> make(const SectionContext& context) {
  if (!context.run->machine) return std::nullopt;
  return roofline_section(context, *context.run->machine, context.run);
}

}  // namespace

void register_run_roofline(SectionRegistry& registry) {
  registry.add({"roofline", SectionScope::run, 20, make});
}

}  // namespace mansard
