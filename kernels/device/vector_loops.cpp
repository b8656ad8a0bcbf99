// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/vector_loops.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace mansard::kernels {
namespace {

// Number of accumulators. An FMA takes 4 or 5 cycles and two issue per cycle (agner.org/optimize,
// instruction tables), so 10 chains keep the units busy. SSE and AVX2 use 12 and leave the other
// four registers for constants; AVX-512 (32 registers) and cores with four NEON units use 24.
#if defined(__aarch64__)
#define MANSARD_LOOPS_NAMESPACE neon_loops
#define MANSARD_LOOPS_SET InstructionSet::neon
#define MANSARD_LOOPS_ACCUMULATORS 24
#else
#define MANSARD_LOOPS_NAMESPACE baseline_loops
#define MANSARD_LOOPS_SET InstructionSet::baseline
#define MANSARD_LOOPS_ACCUMULATORS 12
#endif
#define MANSARD_LOOPS_TARGET
#define MANSARD_LOOPS_VECTOR_BYTES 16
#include "kernels/device/vector_loops.inc"

#if defined(__x86_64__)
#define MANSARD_LOOPS_NAMESPACE avx2_fma_loops
#define MANSARD_LOOPS_SET InstructionSet::avx2_fma
#define MANSARD_LOOPS_TARGET __attribute__((target("avx2,fma")))
#define MANSARD_LOOPS_VECTOR_BYTES 32
#define MANSARD_LOOPS_ACCUMULATORS 12
#include "kernels/device/vector_loops.inc"

#define MANSARD_LOOPS_NAMESPACE avx512_loops
#define MANSARD_LOOPS_SET InstructionSet::avx512
#define MANSARD_LOOPS_TARGET __attribute__((target("avx512f")))
#define MANSARD_LOOPS_VECTOR_BYTES 64
#define MANSARD_LOOPS_ACCUMULATORS 24
#include "kernels/device/vector_loops.inc"
#endif

const VectorLoops* find(InstructionSet set) {
  switch (set) {
#if defined(__aarch64__)
    case InstructionSet::neon:
      return &neon_loops::kLoops;
#else
    case InstructionSet::baseline:
      return &baseline_loops::kLoops;
#endif
#if defined(__x86_64__)
    case InstructionSet::avx2_fma:
      return &avx2_fma_loops::kLoops;
    case InstructionSet::avx512:
      return &avx512_loops::kLoops;
#endif
    default:
      return nullptr;
  }
}

}  // namespace

const VectorLoops& vector_loops(InstructionSet set) {
  const std::vector<InstructionSet> supported = supported_instruction_sets();
  const VectorLoops* loops = find(set);
  if (loops == nullptr || std::find(supported.begin(), supported.end(), set) == supported.end()) {
    throw std::runtime_error("this CPU or build does not support " + std::string(to_string(set)) +
                             " code; the widest supported set is " +
                             std::string(to_string(supported.back())));
  }
  return *loops;
}

}  // namespace mansard::kernels
