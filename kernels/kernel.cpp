// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel.h"

#include <array>
#include <stdexcept>

namespace mansard::kernels {

void register_kernel_plugins(KernelRegistry& registry);  // generated

namespace {
template <typename Enum>
using Names = std::pair<Enum, std::string_view>;

constexpr std::array<Names<DataPattern>, 3> kPatterns = {{
    {DataPattern::zeros, "zeros"},
    {DataPattern::random_uniform, "random_uniform"},
    {DataPattern::random_normal, "random_normal"},
}};
constexpr std::array<Names<Overhead>, 4> kOverheads = {{
    {Overhead::kernel_launch, "kernel_launch"},
    {Overhead::synchronize, "synchronize"},
    {Overhead::event, "event"},
    {Overhead::copy, "copy"},
}};

template <typename Enum, std::size_t N>
std::string_view name_of(Enum id, const std::array<Names<Enum>, N>& names) {
  for (const auto& [known, key] : names) {
    if (known == id) return key;
  }
  return "unknown";
}

template <typename Enum, std::size_t N>
std::optional<Enum> parse(std::string_view key, const std::array<Names<Enum>, N>& names) {
  for (const auto& [id, name] : names) {
    if (name == key) return id;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(DataPattern pattern) { return name_of(pattern, kPatterns); }
std::optional<DataPattern> parse_data_pattern(std::string_view key) {
  return parse(key, kPatterns);
}
std::string_view to_string(Overhead overhead) { return name_of(overhead, kOverheads); }
std::optional<Overhead> parse_overhead(std::string_view key) { return parse(key, kOverheads); }

void KernelRegistry::add(KernelSpec spec) {
  if (find(spec.name) != nullptr) {
    throw std::logic_error("two kernels have the name '" + spec.name + "'");
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

}  // namespace mansard::kernels
