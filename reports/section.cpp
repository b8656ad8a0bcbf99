// SPDX-License-Identifier: Apache-2.0
#include "reports/section.h"

#include <algorithm>

namespace mansard::reports {

void register_section_plugins(SectionRegistry& registry);  // generated

namespace {

const std::vector<SectionSpec>& ordered_sections() {
  static const std::vector<SectionSpec> specs = [] {
    SectionRegistry registry;
    register_section_plugins(registry);
    std::ranges::stable_sort(registry.all(), {}, &SectionSpec::order);
    return registry.all();
  }();
  return specs;
}

}  // namespace

std::string run_id(std::size_t index) { return "run" + std::to_string(index + 1); }

std::vector<const SectionSpec*> sections_of(SectionScope scope) {
  std::vector<const SectionSpec*> found;
  for (const SectionSpec& spec : ordered_sections()) {
    if (spec.scope == scope) found.push_back(&spec);
  }
  return found;
}

}  // namespace mansard::reports
