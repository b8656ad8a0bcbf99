// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/cpu_gemm.h"

#include <algorithm>
#include <vector>

#include "kernels/device/parallel.h"
#include "kernels/formats/bf16.h"

namespace mansard::kernels {
namespace {

// A task computes a kTile x kTile piece of C, kDepth of the reduction at a time. Two packed
// operands and the piece of C take 768 KiB, which fits in the L2 of server cores.
constexpr std::int64_t kTile = 256;
constexpr std::int64_t kDepth = 256;

// An inner loop: c[kRows x kCols] += a^T b over `depth`, on panels with interleaved rows.
struct InnerLoop {
  int rows;
  int cols;
  void (*run)(const float* a, const float* b, std::int64_t depth, float* c, std::int64_t c_stride);
};

// Written with the compiler's vector types so that one source serves every width. The accumulators
// (kRows * kVectors), one vector per column group and one broadcast must fit in the registers.
template <int kLanes, int kRows, int kVectors>
[[gnu::always_inline]] inline void multiply_panels(const float* a, const float* b,
                                                   std::int64_t depth, float* c,
                                                   std::int64_t c_stride) {
  typedef float Vector __attribute__((vector_size(4 * kLanes), aligned(4), may_alias));
  Vector sum[kRows][kVectors] = {};
  for (std::int64_t k = 0; k < depth; ++k) {
    Vector column[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      column[v] = *reinterpret_cast<const Vector*>(b + k * kLanes * kVectors + v * kLanes);
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const float row = a[k * kRows + r];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) sum[r][v] += row * column[v];
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
      *reinterpret_cast<Vector*>(c + r * c_stride + v * kLanes) += sum[r][v];
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void run_avx512(const float* a, const float* b, std::int64_t depth,
                                           float* c, std::int64_t c_stride) {
  multiply_panels<16, 8, 2>(a, b, depth, c, c_stride);
}
[[gnu::target("avx2,fma")]] void run_avx2(const float* a, const float* b, std::int64_t depth,
                                          float* c, std::int64_t c_stride) {
  multiply_panels<8, 6, 2>(a, b, depth, c, c_stride);
}
#endif
void run_baseline(const float* a, const float* b, std::int64_t depth, float* c,
                  std::int64_t c_stride) {
  multiply_panels<4, 4, 2>(a, b, depth, c, c_stride);
}

struct Chosen {
  InnerLoop loop;
  std::string_view name;
};

const Chosen& chosen() {
  static const Chosen c = []() -> Chosen {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return {{8, 32, run_avx512}, "AVX-512"};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      return {{6, 16, run_avx2}, "AVX2"};
    }
#endif
    return {{4, 8, run_baseline}, "baseline"};
  }();
  return c;
}

// Packs rows [row, row + rows) and reduction [k, k + depth) of an operand into FP32 panels of
// `width` rows: panel by panel, by reduction index, with interleaved rows; missing rows are zero.
void pack(const GemmOperand& operand, std::int64_t all_rows, std::int64_t all_depth,
          std::int64_t row, std::int64_t rows, std::int64_t k, std::int64_t depth, int width,
          float* out) {
  const bool inner = operand.reduction == ReductionAxis::inner;
  const std::int64_t row_stride = inner ? all_depth : 1;
  const std::int64_t k_stride = inner ? 1 : all_rows;
  for (std::int64_t panel = 0; panel < rows; panel += width, out += width * depth) {
    const std::int64_t used = std::min<std::int64_t>(width, rows - panel);
    const Bf16* source =
        static_cast<const Bf16*>(operand.data) + (row + panel) * row_stride + k * k_stride;
    if (used < width) std::fill(out, out + width * depth, 0.0f);
    // The inner loop follows memory order if possible: along rows if they are contiguous.
    if (inner) {
      for (std::int64_t r = 0; r < used; ++r) {
        const Bf16* line = source + r * row_stride;
        for (std::int64_t d = 0; d < depth; ++d) out[d * width + r] = bf16::to_float(line[d]);
      }
    } else {
      for (std::int64_t d = 0; d < depth; ++d) {
        const Bf16* line = source + d * k_stride;
        for (std::int64_t r = 0; r < used; ++r) out[d * width + r] = bf16::to_float(line[r]);
      }
    }
  }
}

float widen(float x) { return x; }
float widen(Bf16 x) { return bf16::to_float(x); }
void put(float& out, float x) { out = x; }
void put(Bf16& out, float x) { out = bf16::from_float(x); }

template <bool kAccumulate, typename Element>
void store_row(const float* source, std::int64_t cols, float alpha, Element* out) {
  for (std::int64_t i = 0; i < cols; ++i) {
    const float product = alpha * source[i];
    put(out[i], kAccumulate ? widen(out[i]) + product : product);
  }
}

template <typename Element>
void store(const GemmProblem& p, std::int64_t row, std::int64_t rows, std::int64_t col,
           std::int64_t cols, const float* tile, std::int64_t stride) {
  const float alpha = p.alpha == nullptr ? 1.0f : *p.alpha;
  const auto store_one = p.accumulate ? store_row<true, Element> : store_row<false, Element>;
  for (std::int64_t r = 0; r < rows; ++r) {
    store_one(tile + r * stride, cols, alpha, static_cast<Element*>(p.c) + (row + r) * p.n + col);
  }
}

void compute_tile(const GemmProblem& p, const InnerLoop& loop, std::int64_t row, std::int64_t col) {
  const std::int64_t rows = std::min(kTile, p.m - row);
  const std::int64_t cols = std::min(kTile, p.n - col);
  const std::int64_t padded_rows = round_up(rows, loop.rows);
  const std::int64_t padded_cols = round_up(cols, loop.cols);
  thread_local std::vector<float> a, b, tile;
  a.resize(static_cast<std::size_t>(padded_rows * kDepth));
  b.resize(static_cast<std::size_t>(padded_cols * kDepth));
  tile.assign(static_cast<std::size_t>(padded_rows * padded_cols), 0.0f);
  for (std::int64_t k = 0; k < p.k; k += kDepth) {
    const std::int64_t depth = std::min(kDepth, p.k - k);
    pack(p.a, p.m, p.k, row, rows, k, depth, loop.rows, a.data());
    pack(p.b, p.n, p.k, col, cols, k, depth, loop.cols, b.data());
    for (std::int64_t j = 0; j < padded_cols; j += loop.cols) {
      for (std::int64_t i = 0; i < padded_rows; i += loop.rows) {
        loop.run(a.data() + i * depth, b.data() + j * depth, depth,
                 tile.data() + i * padded_cols + j, padded_cols);
      }
    }
  }
  const auto store_tile = p.output == GemmOutput::fp32 ? store<float> : store<Bf16>;
  store_tile(p, row, rows, col, cols, tile.data(), padded_cols);
}

}  // namespace

void cpu_gemm(const GemmProblem& p) {
  const InnerLoop& loop = chosen().loop;
  const std::int64_t tiles_n = (p.n + kTile - 1) / kTile;
  const std::int64_t tiles_m = (p.m + kTile - 1) / kTile;
  parallel_for(tiles_m * tiles_n, [&](std::int64_t task) {
    compute_tile(p, loop, task / tiles_n * kTile, task % tiles_n * kTile);
  });
}

std::string_view cpu_gemm_instruction_set() { return chosen().name; }

}  // namespace mansard::kernels
