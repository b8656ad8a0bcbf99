// SPDX-License-Identifier: Apache-2.0
// Repeats mma.sync on fragments that a warp keeps in registers. mma_sync_ceiling.cuh defines the
// requirements for a format.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/ceilings/mma/mma_fragment.h"
#include "kernels/ceilings/mma/tensor_ceiling.h"
#include "kernels/device/sm_clock.cuh"

// Defines a format's instruction of shape m16n8k`K`, with 4 registers of A, 2 of B and 4 of D with
// asm constraint CONSTRAINT: d += a * b. A macro, because asm takes only literals.
#define MANSARD_MMA_SYNC_PRODUCT(K, TYPES, CONSTRAINT)                                         \
  static constexpr const char* kInstruction = "mma.sync.m16n8k" #K "." TYPES;                  \
  static constexpr int kM = 16;                                                                \
  static constexpr int kK = K;                                                                 \
  static __device__ __forceinline__ void multiply(                                             \
      Accumulators::Register(&d)[4], const std::uint32_t(&a)[4], const std::uint32_t(&b)[2]) { \
    asm volatile("mma.sync.aligned.m16n8k" #K ".row.col." TYPES                                \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"            \
                 : CONSTRAINT(d[0]), CONSTRAINT(d[1]), CONSTRAINT(d[2]), CONSTRAINT(d[3])      \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));          \
  }

namespace mansard::kernels::mma_sync {

inline constexpr int kThreads = 256;
inline constexpr int kWarps = kThreads / 32;
inline constexpr int kRowTiles = 2;     // fragments of A per warp
inline constexpr int kColumnTiles = 4;  // fragments of B: 8 independent products hide the latency
inline constexpr int kTiles = kRowTiles * kColumnTiles;

template <typename Format>
struct Registers {
  using Element = typename Format::Element;
  using Word = std::conditional_t<Element::kBits == 64, double, std::uint32_t>;
  using Code = std::conditional_t<Element::kBits == 64, std::uint64_t, std::uint32_t>;
  using Sum = typename Format::Accumulators::Register;
  static constexpr int kElements = 8 * sizeof(Word) / Element::kBits;
  using Layout =
      FragmentLayout<Format::kM, Format::kK, kElements, Format::Accumulators::kPerRegister>;
  using A = Word[Layout::kRegistersA];
  using B = Word[Layout::kRegistersB];
  using D = Sum[Layout::kRegistersD];
};

// A format for which some GPUs have no instruction. The compiler then converts the operands,
// multiplies, and adds the product to the sum in three steps.
template <typename Format>
concept Converted = requires {
  typename Format::ConvertedTo;
};

// All arrays are ordered by register, each with the values of all threads of a block. All blocks
// use the same `a`, `b` and scales. `zero` is 0, unknown to the compiler.
template <typename Format>
__global__ void __launch_bounds__(kThreads)
    mma_sync_ceiling(const typename Registers<Format>::Word* a,
                     const typename Registers<Format>::Word* b, const std::uint32_t* scales_a,
                     const std::uint32_t* scales_b, typename Registers<Format>::Sum* d,
                     int iterations, std::uint32_t zero, SmSpan* spans) {
  using R = Registers<Format>;
  using Layout = typename R::Layout;
  typename R::A fa[kRowTiles];
  typename R::B fb[kColumnTiles];
  typename R::D acc[kRowTiles][kColumnTiles];
  std::uint32_t sa[kRowTiles] = {};
  std::uint32_t sb[kColumnTiles] = {};
#pragma unroll
  for (int m = 0; m < kRowTiles; ++m) {
#pragma unroll
    for (int r = 0; r < Layout::kRegistersA; ++r) {
      fa[m][r] = a[(m * Layout::kRegistersA + r) * kThreads + threadIdx.x];
    }
    if constexpr (BlockScaled<Format>) sa[m] = scales_a[m * kThreads + threadIdx.x];
  }
#pragma unroll
  for (int n = 0; n < kColumnTiles; ++n) {
#pragma unroll
    for (int r = 0; r < Layout::kRegistersB; ++r) {
      fb[n][r] = b[(n * Layout::kRegistersB + r) * kThreads + threadIdx.x];
    }
    if constexpr (BlockScaled<Format>) sb[n] = scales_b[n * kThreads + threadIdx.x];
#pragma unroll
    for (int m = 0; m < kRowTiles; ++m) {
#pragma unroll
      for (int i = 0; i < Layout::kRegistersD; ++i) acc[m][n][i] = 0;
    }
  }
  __syncthreads();
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
  for (int it = 0; it < iterations; ++it) {
#pragma unroll
    for (int m = 0; m < kRowTiles; ++m) {
#pragma unroll
      for (int n = 0; n < kColumnTiles; ++n) {
        if constexpr (BlockScaled<Format>) {
          Format::multiply(acc[m][n], fa[m], fb[n], sa[m], sb[n]);
        } else {
          Format::multiply(acc[m][n], fa[m], fb[n]);
        }
      }
      if constexpr (Converted<Format>) {
        // Otherwise the compiler would reuse one product for all iterations of the unrolled loop.
#pragma unroll
        for (int r = 0; r < Layout::kRegistersA; ++r) fa[m][r] += zero;
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
  const std::size_t first =
      static_cast<std::size_t>(blockIdx.x) * (kTiles * Layout::kRegistersD * kThreads);
#pragma unroll
  for (int m = 0; m < kRowTiles; ++m) {
#pragma unroll
    for (int n = 0; n < kColumnTiles; ++n) {
#pragma unroll
      for (int i = 0; i < Layout::kRegistersD; ++i) {
        d[first + ((m * kColumnTiles + n) * Layout::kRegistersD + i) * kThreads + threadIdx.x] =
            acc[m][n][i];
      }
    }
  }
}

}  // namespace mansard::kernels::mma_sync
