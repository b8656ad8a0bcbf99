// SPDX-License-Identifier: Apache-2.0
// The vector instruction sets the host kernels are compiled for, chosen among at run time.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace mansard::kernels {

enum class InstructionSet {
  baseline,  // x86-64: SSE2, without FMA; elsewhere whatever the compiler's default target has
  neon,
  avx2_fma,
  avx512,
};

// As it stands in DeviceInfo::instruction_set: "AVX-512", "AVX2+FMA", "NEON", "baseline".
std::string_view to_string(InstructionSet set);
std::optional<InstructionSet> parse_instruction_set(std::string_view name);

// What this build has code for and this CPU and operating system run, narrowest first; never empty.
std::vector<InstructionSet> supported_instruction_sets();

}  // namespace mansard::kernels
