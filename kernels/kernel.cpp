// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel.h"

#include <array>
#include <stdexcept>

namespace mansard {

void register_kernel_plugins(KernelRegistry& registry);  // generated

namespace {
constexpr std::array<std::pair<DataPattern, std::string_view>, 3> kPatterns = {{
    {DataPattern::zeros, "zeros"},
    {DataPattern::random_uniform, "random_uniform"},
    {DataPattern::random_normal, "random_normal"},
}};
}  // namespace

std::string_view to_string(DataPattern pattern) {
  for (const auto& [id, key] : kPatterns) {
    if (id == pattern) return key;
  }
  return "unknown";
}

std::optional<DataPattern> parse_data_pattern(std::string_view key) {
  for (const auto& [id, name] : kPatterns) {
    if (name == key) return id;
  }
  return std::nullopt;
}

void KernelRegistry::add(KernelSpec spec) {
  if (find(spec.name) != nullptr) {
    throw std::logic_error("two kernels are registered under the name '" + spec.name + "'");
  }
  specs_.push_back(std::move(spec));
}

const KernelSpec* KernelRegistry::find(std::string_view name) const {
  for (const KernelSpec& spec : specs_) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

const KernelRegistry& kernel_registry() {
  static const KernelRegistry registry = [] {
    KernelRegistry r;
    register_kernel_plugins(r);
    return r;
  }();
  return registry;
}

}  // namespace mansard
