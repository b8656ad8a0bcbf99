// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/library/frame/gemm_shapes.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "kernels/formats/shape.h"
#include "support/units.h"

namespace mansard::kernels::library {
namespace {

constexpr std::int64_t kGib = std::int64_t{1} << 30;

// Granularity of all axes. cuBLASLt requires 16 for 8-bit operands; block scales need whole tiles.
std::int64_t granule(const LibraryGemm& gemm) { return gemm.scale_block > 0 ? 128 : 16; }

GemmBytes largest(const GemmBytes& x, const GemmBytes& y) {
  return {std::max(x.a, y.a), std::max(x.b, y.b), std::max(x.c, y.c),
          std::max(x.scales_a, y.scales_a), std::max(x.scales_b, y.scales_b)};
}

GemmShape requested_shape(const LibraryGemm& gemm, const std::vector<std::int64_t>& shape) {
  const auto refuse = [&](const std::string& rule) {
    std::string text;
    for (const std::int64_t axis : shape) text += (text.empty() ? "" : "x") + std::to_string(axis);
    throw std::runtime_error("cannot run " + gemm.name + " with shape " + text + ": " + rule);
  };
  if (shape.size() != 3 && shape.size() != 4) {
    refuse("expected three sizes, M x N x K, optionally followed by an algorithm number");
  }
  if (shape.size() == 4 && (shape[3] < 0 || shape[3] >= kMaxContenders)) {
    refuse("algorithm numbers range from 0 to " + std::to_string(kMaxContenders - 1));
  }
  // An edge of 2^20 exceeds any memory, and keeps the products below within 64 bits.
  constexpr std::int64_t kMax = std::int64_t{1} << 20;
  for (const std::int64_t axis : {shape[0], shape[1], shape[2]}) {
    if (axis <= 0 || axis > kMax || axis % granule(gemm) != 0) {
      refuse("each size must be a multiple of " + std::to_string(granule(gemm)) + " up to " +
             std::to_string(kMax));
    }
  }
  return {shape[0], shape[1], shape[2]};
}

}  // namespace

std::string to_string(const GemmShape& shape) {
  return std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
}

std::optional<GemmShape> whole_waves(int units, std::int64_t edge, std::int64_t k) {
  // An even number of 128-row tiles, so that 256 x 128 tiles fill the same waves.
  std::optional<GemmShape> best;
  std::int64_t best_distance = edge;
  for (std::int64_t m = edge / 2 / 256 * 256; m <= edge * 3 / 2; m += 256) {
    for (std::int64_t n = edge / 2 / 256 * 256; n <= edge * 3 / 2; n += 256) {
      if (m == 0 || n == 0 || (m / 128) * (n / 256) % units != 0) continue;
      const std::int64_t distance = std::abs(m - edge) + std::abs(n - edge);
      if (distance < best_distance) {
        best = GemmShape{m, n, k};
        best_distance = distance;
      }
    }
  }
  return best;
}

std::vector<GemmShape> sweep_shapes(int units) {
  std::vector<GemmShape> shapes = {
      {2048, 2048, 2048},  {4096, 4096, 4096},  {4096, 4096, 8192},
      {6144, 6144, 6144},  {8192, 8192, 4096},  {8192, 8192, 8192},
      {16384, 8192, 4096}, {4096, 14336, 8192}, {8192, 28672, 4096},
  };
  for (const std::int64_t edge : {4096, 8192}) {
    for (const std::int64_t k : {4096, 8192}) {
      if (const auto shape = whole_waves(units, edge, k)) shapes.push_back(*shape);
    }
  }
  std::stable_sort(shapes.begin(), shapes.end(),
                   [](const GemmShape& x, const GemmShape& y) { return x.flop() < y.flop(); });
  // If the number of SMs is a power of two, squares already have whole waves.
  std::vector<GemmShape> distinct;
  for (const GemmShape& shape : shapes) {
    if (std::find(distinct.begin(), distinct.end(), shape) == distinct.end()) {
      distinct.push_back(shape);
    }
  }
  return distinct;
}

GemmBytes gemm_bytes(const LibraryGemm& gemm, const GemmShape& shape) {
  const auto bytes = [](std::int64_t elements, ElementFormat format) {
    return elements * bits_per_element(format) / 8;
  };
  GemmBytes total;
  total.a = bytes(shape.m * shape.k, gemm.operand);
  total.b = bytes(shape.n * shape.k, gemm.operand);
  total.c = bytes(shape.m * shape.n, gemm.result);
  if (gemm.scale_block > 0) {
    total.scales_a = block_scale_bytes(ScaleLayout::tiled, shape.m, shape.k / gemm.scale_block);
    total.scales_b = block_scale_bytes(ScaleLayout::tiled, shape.n, shape.k / gemm.scale_block);
  }
  return total;
}

SweepPlan fit(const LibraryGemm& gemm, const std::vector<GemmShape>& shapes,
              std::int64_t budget_bytes) {
  SweepPlan plan;
  for (const GemmShape& shape : shapes) {
    const GemmBytes buffers = largest(plan.buffers, gemm_bytes(gemm, shape));
    if (buffers.total() > budget_bytes) continue;
    plan.shapes.push_back(shape);
    plan.buffers = buffers;
  }
  return plan;
}

SweepPlan plan_sweep(const LibraryGemm& gemm, int units, const std::vector<std::int64_t>& requested,
                     std::int64_t free_bytes) {
  const bool sweep = requested.empty();
  const std::vector<GemmShape> shapes =
      sweep ? sweep_shapes(units) : std::vector{requested_shape(gemm, requested)};
  // A tenth stays free for cuBLASLt's code and other processes. A sweep gains nothing from shapes
  // of more than 6 GiB.
  std::int64_t budget_bytes = free_bytes / 10 * 9 - kWorkspaceBytes;
  if (sweep) budget_bytes = std::min(budget_bytes, 6 * kGib);
  SweepPlan plan = fit(gemm, shapes, budget_bytes);
  if (plan.shapes.empty()) {
    const auto needed = static_cast<double>(gemm_bytes(gemm, shapes.front()).total());
    throw std::runtime_error(
        "cannot run " + gemm.name + ": the operands and result of " + to_string(shapes.front()) +
        " take " + format_capacity(needed) + " of device memory, and of " +
        format_capacity(static_cast<double>(free_bytes)) + " free " +
        format_capacity(static_cast<double>(std::max<std::int64_t>(budget_bytes, 0))) +
        " may be used; free some memory or choose a smaller shape");
  }
  if (requested.size() == 4) plan.contender = static_cast<int>(requested[3]);
  return plan;
}

}  // namespace mansard::kernels::library
