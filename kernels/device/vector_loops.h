// SPDX-License-Identifier: Apache-2.0
// The innermost loops of the host ceilings, one table per instruction set. Kernels take the table
// as a parameter, so that tests can run every set that the CPU has, and faulty ones.
#pragma once

#include <cstdint>

#include "kernels/device/instruction_set.h"

namespace mansard::kernels {

// Advances `lanes` (VectorLoops::fma_lanes<T>() values, aligned to 64 bytes) through `rounds`
// rounds. A round is kFmaStepsPerRound times x = multiplier * x + x, then x += addend, and finally
// addend *= kFmaAddendDecay. The added term is x because NEON's instruction overwrites its addend:
// a constant would have to be copied each time.
template <class T>
using FmaLoop = void (*)(T* lanes, T multiplier, T addend, std::int64_t rounds);

inline constexpr int kFmaStepsPerRound = 1024;
// A step multiplies x by -(1 - 1/1024): the sign flips and the digits change, so that a core
// toggles bits as on real data, and rounding errors decay. Exact in FP32.
inline constexpr double kFmaMultiplier = -(2 - 1.0 / 1024);
// A round shrinks x by a factor of e; the addend keeps it from vanishing. The addend changes in
// each round, so that the result depends on the number of rounds.
inline constexpr double kFmaAddendDecay = -(1 - 1.0 / 1024);
inline constexpr int kMaxFmaBytes = 2048;  // lanes, maximum over all sets

struct VectorLoops {
  InstructionSet set = InstructionSet::baseline;
  int vector_bytes = 0;
  int accumulators = 0;  // independent FMA chains
  FmaLoop<double> fma_fp64 = nullptr;
  FmaLoop<float> fma_fp32 = nullptr;
  // a[i] = b[i] + scalar * c[i] for all i, repeated `repetitions` times.
  void (*triad)(double* a, const double* b, const double* c, double scalar, std::int64_t elements,
                std::int64_t repetitions) = nullptr;
  // Sum of left[i] * right[i] over all i, repeated `repetitions` times. Writes nothing and needs
  // one instruction per two loads, so that the loads are the bottleneck. With additions only, the
  // adders would be the bottleneck (83 vs. 117 bytes per cycle from L1 on an Intel CPU with
  // AVX-512).
  double (*dot)(const double* left, const double* right, std::int64_t elements,
                std::int64_t repetitions) = nullptr;

  template <class T>
  int lanes() const {
    return vector_bytes / static_cast<int>(sizeof(T));
  }
  template <class T>
  int fma_lanes() const {
    return accumulators * lanes<T>();
  }
  template <class T>
  FmaLoop<T> fma() const;
};

template <>
inline FmaLoop<double> VectorLoops::fma<double>() const {
  return fma_fp64;
}
template <>
inline FmaLoop<float> VectorLoops::fma<float>() const {
  return fma_fp32;
}

// triad and dot require array sizes that are multiples of this, aligned to 64 bytes.
inline constexpr std::int64_t kLoopGranuleBytes = 1024;

// Throws std::runtime_error if this build or CPU does not support the set.
const VectorLoops& vector_loops(InstructionSet set);

}  // namespace mansard::kernels
