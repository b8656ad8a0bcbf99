// SPDX-License-Identifier: Apache-2.0
// Selection of the GEMM shapes to try, and their device memory. Nothing here needs a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/ceilings/library/frame/library_gemm.h"

namespace mansard::kernels::library {

// C[m x n] = A[m x k] * B[n x k]^T, all row-major.
struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0;
  double flop() const {
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  friend bool operator==(const GemmShape&, const GemmShape&) = default;
};

std::string to_string(const GemmShape& shape);  // "8192x8192x4096"

// The shape of approximately edge x edge x k whose tiles of 128 x 256 (or 256 x 128, the largest
// tiles of libraries on Hopper) fill `units` SMs in whole waves. None if there is no such shape
// nearby.
std::optional<GemmShape> whole_waves(int units, std::int64_t edge, std::int64_t k);

// From small to large, so that shapes too slow for a sweep are known before they run.
std::vector<GemmShape> sweep_shapes(int units);

struct GemmBytes {
  std::int64_t a = 0, b = 0, c = 0;
  std::int64_t scales_a = 0, scales_b = 0;
  std::int64_t total() const { return a + b + c + scales_a + scales_b; }
};

GemmBytes gemm_bytes(const LibraryGemm& gemm, const GemmShape& shape);

// Shapes that share one set of buffers, of which each uses the beginning.
struct SweepPlan {
  std::vector<GemmShape> shapes;
  GemmBytes buffers;
  std::optional<int> contender;  // the only one to run, by cuBLASLt's order
};
SweepPlan fit(const LibraryGemm& gemm, const std::vector<GemmShape>& shapes,
              std::int64_t budget_bytes);

// Algorithms to request from cuBLASLt per layout (at most two layouts).
inline constexpr int kAlgorithms = 8;
inline constexpr int kMaxContenders = 2 * kAlgorithms;

// NVIDIA recommends 32 MiB on Hopper; some split-K algorithms need more.
inline constexpr std::int64_t kWorkspaceBytes = std::int64_t{64} << 20;

// The shapes to run on a device with `units` SMs and `free_bytes` of memory: {m, n, k} as the user
// gave it, {m, n, k, contender} as an earlier sweep chose it, or the sweep if `requested` is empty.
// Throws std::runtime_error that names the violated rule or the missing memory.
SweepPlan plan_sweep(const LibraryGemm& gemm, int units, const std::vector<std::int64_t>& requested,
                     std::int64_t free_bytes);

}  // namespace mansard::kernels::library
