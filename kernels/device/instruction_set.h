// SPDX-License-Identifier: Apache-2.0
// The vector instruction sets for which host kernels are compiled, selected at run time.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace mansard::kernels {

enum class InstructionSet {
  baseline,  // x86-64: SSE2 without FMA; elsewhere the compiler's default target
  neon,
  avx2_fma,
  avx512,
};

// The text in DeviceInfo::instruction_set: "AVX-512", "AVX2+FMA", "NEON", "baseline".
std::string_view to_string(InstructionSet set);
std::optional<InstructionSet> parse_instruction_set(std::string_view name);

// The sets that this build, this CPU and the operating system support, narrowest first; never
// empty.
std::vector<InstructionSet> supported_instruction_sets();

}  // namespace mansard::kernels
