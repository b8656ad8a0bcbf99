// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/instruction_set.h"

#include <array>
#include <utility>

namespace mansard::kernels {
namespace {
constexpr std::array<std::pair<InstructionSet, std::string_view>, 4> kInstructionSetNames = {{
    {InstructionSet::baseline, "baseline"},
    {InstructionSet::neon, "NEON"},
    {InstructionSet::avx2_fma, "AVX2+FMA"},
    {InstructionSet::avx512, "AVX-512"},
}};
}  // namespace

std::string_view to_string(InstructionSet set) {
  for (const auto& [id, name] : kInstructionSetNames) {
    if (id == set) return name;
  }
  return "unknown";
}

std::optional<InstructionSet> parse_instruction_set(std::string_view name) {
  for (const auto& [id, known] : kInstructionSetNames) {
    if (known == name) return id;
  }
  return std::nullopt;
}

std::vector<InstructionSet> supported_instruction_sets() {
#if defined(__x86_64__)
  std::vector<InstructionSet> sets = {InstructionSet::baseline};
  // The builtin also checks that the operating system saves the wide registers.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    sets.push_back(InstructionSet::avx2_fma);
  }
  if (__builtin_cpu_supports("avx512f")) sets.push_back(InstructionSet::avx512);
  return sets;
#elif defined(__aarch64__)
  return {InstructionSet::neon};  // part of the base architecture
#else
  return {InstructionSet::baseline};
#endif
}

}  // namespace mansard::kernels
