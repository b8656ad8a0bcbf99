// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

void register_analysis_plugins(AnalysisRegistry& registry);  // generated

void AnalysisRegistry::add(AnalysisSpec spec) {
  if (find(spec.name) != nullptr) {
    throw std::logic_error("two analyses are registered under the name '" + spec.name + "'");
  }
  const auto place =
      std::upper_bound(specs_.begin(), specs_.end(), spec.order,
                       [](int order, const AnalysisSpec& other) { return order < other.order; });
  specs_.insert(place, std::move(spec));
}

const AnalysisSpec* AnalysisRegistry::find(std::string_view name) const {
  for (const AnalysisSpec& spec : specs_) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

const AnalysisRegistry& analysis_registry() {
  static const AnalysisRegistry registry = [] {
    AnalysisRegistry r;
    register_analysis_plugins(r);
    return r;
  }();
  return registry;
}

}  // namespace mansard::analysis
