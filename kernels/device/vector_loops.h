// SPDX-License-Identifier: Apache-2.0
// The innermost loops of the host's ceilings, one table of them for each instruction set. Kernels
// take the table as a parameter, so that tests can run every set the CPU has, and faulty ones.
#pragma once

#include <cstdint>

#include "kernels/device/instruction_set.h"

namespace mansard::kernels {

// Advances `lanes` (as many as VectorLoops::fma_lanes<T>(), aligned to 64 bytes) through `rounds`
// rounds: kFmaStepsPerRound times x = multiplier * x + x, then x += addend, after which the addend
// becomes kFmaAddendDecay times itself. The term is x again because NEON's instruction overwrites
// its term: a constant would have to be copied each time.
template <class T>
using FmaLoop = void (*)(T* lanes, T multiplier, T addend, std::int64_t rounds);

inline constexpr int kFmaStepsPerRound = 1024;
// A step multiplies x by -(1 - 1/1024): its sign flips and its digits change, so that a core
// toggles bits as on real data, and rounding errors die away. Exact in FP32.
inline constexpr double kFmaMultiplier = -(2 - 1.0 / 1024);
// A round shrinks x by e; the addend keeps it from vanishing. It changes from round to round, so
// that the result tells how many rounds were run.
inline constexpr double kFmaAddendDecay = -(1 - 1.0 / 1024);
inline constexpr int kMaxFmaBytes = 2048;  // of the lanes, for every set

struct VectorLoops {
  InstructionSet set = InstructionSet::baseline;
  int vector_bytes = 0;
  int accumulators = 0;  // independent FMA chains
  FmaLoop<double> fma_fp64 = nullptr;
  FmaLoop<float> fma_fp32 = nullptr;
  // a[i] = b[i] + scalar * c[i] for all i, `repetitions` times over.
  void (*triad)(double* a, const double* b, const double* c, double scalar, std::int64_t elements,
                std::int64_t repetitions) = nullptr;
  // The sum of left[i] * right[i] over all i, `repetitions` times over. Writes nothing and takes
  // one instruction for two loads, so the loads are the limit: with additions alone the units that
  // add would be (83 against 117 bytes a cycle from L1 on an Intel CPU with AVX-512).
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

// triad and dot take multiples of this many bytes of each array, aligned to 64 bytes.
inline constexpr std::int64_t kLoopGranuleBytes = 1024;

// Throws std::runtime_error when this build or CPU lacks the set.
const VectorLoops& vector_loops(InstructionSet set);

}  // namespace mansard::kernels
