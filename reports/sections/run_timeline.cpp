// SPDX-License-Identifier: Apache-2.0
#include "reports/section.h"
#include "reports/web/timeline_section.h"

namespace mansard::reports {
namespace {

std::optional<Section> make_run_timeline(const SectionContext& context) {
  return timeline_section(context, *context.run);
}

}  // namespace

void register_run_timeline(SectionRegistry& registry) {
  registry.add({"timeline", SectionScope::run, 23, make_run_timeline});
}

}  // namespace mansard::reports
