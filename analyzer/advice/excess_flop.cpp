// SPDX-License-Identifier: Apache-2.0
// FLOPs that are executed but not needed: attention that computes the pairs which a mask discards,
// and tiles that exceed the shape of a GEMM.
#include <algorithm>
#include <cstdio>

#include "analyzer/advice/advice.h"
#include "analyzer/kernel_columns.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

// Time per pair of an attention kernel with a mask tensor, over that of a causal one. For cuDNN the
// median of 2,048 to 8,192 tokens with heads of 64 and 128 on an H100; for PyTorch's
// memory-efficient kernels it is about 1 (docs/validation/attention.md).
constexpr double kMaskCostOfCudnn = 1.28;
double mask_cost(const KernelRow& row) { return row.library == "cudnn" ? kMaskCostOfCudnn : 1; }

constexpr double kExcess = 1.05;           // executed / needed
constexpr std::size_t kMaxKernelRows = 5;  // the kernel table has all

std::vector<Advice> masked_attention(const RunAnalysis& run, const RunUnit& unit) {
  Advice advice;
  double flop = 0;
  double causal_flop = 0;
  double saving_s = 0;
  bool cudnn = false;
  std::string shape;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    if (!(row.causal_flop > 0) || !(row.needed_flop > 0)) continue;
    const double time_s = unit.duration_s(i);
    if (!(time_s > 0)) continue;
    const double saved_s = time_s * (1 - row.causal_flop / row.needed_flop / mask_cost(row));
    flop += unit.per_unit(i, row.needed_flop);
    causal_flop += unit.per_unit(i, row.causal_flop);
    saving_s += saved_s;
    advice.concerned_s += time_s;
    advice.row_savings.push_back({.row = i, .time_s = saved_s, .work_too = true});
    advice.rows.push_back(i);
    cudnn = cudnn || mask_cost(row) > 1;
    if (shape.empty()) shape = row.shape;
  }
  if (advice.rows.empty() || !worth_telling(saving_s, run, unit)) return {};
  std::ranges::stable_sort(advice.rows, std::greater(),
                           [&](std::size_t row) { return unit.duration_s(row); });
  advice.id = "masked_attention";
  advice.title = "Attention computes all pairs of queries and keys";
  advice.text = "The attention calls (" + shape +
                ") get their mask as a tensor, so their kernels compute all pairs: " +
                format_si(flop, "FLOP") + " per " + std::string(unit.name()) +
                ". A causal mask, as in decoder training, needs " + format_si(causal_flop, "FLOP") +
                ". Hugging Face models create a mask tensor under torch.compile.";
  if (cudnn) {
    advice.text += " Reading the mask also costs time: cuDNN's kernels take about " +
                   format_ratio(kMaskCostOfCudnn) +
                   " as long per pair with one, which the saving includes.";
  }
  advice.remedy =
      "If the mask is causal, call scaled_dot_product_attention with is_causal=True and no mask, "
      "so that masked tiles are skipped.";
  advice.saving_s = saving_s;
  return {std::move(advice)};
}

}  // namespace

std::vector<Advice> advise_on_excess_flop(const RunAnalysis& run, const RunUnit& unit) {
  std::vector<Advice> out = masked_attention(run, unit);
  std::vector<std::pair<double, std::size_t>> excess;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    if (!(row.executed_flop > kExcess * row.needed_flop) || row.sol.bound != Bound::compute) {
      continue;
    }
    const double saving_s = unit.duration_s(i) * (1 - row.needed_flop / row.executed_flop);
    if (worth_telling(saving_s, run, unit)) excess.emplace_back(-saving_s, i);
  }
  std::ranges::sort(excess);
  if (excess.size() > kMaxKernelRows) excess.resize(kMaxKernelRows);
  for (const auto& [negative_s, i] : excess) {
    const KernelRow& row = run.rows[i];
    const double ratio = row.executed_flop / row.needed_flop;
    Advice advice;
    advice.id = "excess_flop";
    advice.title = "More FLOPs than needed: " + brief_name(row);
    advice.text = "It executes " + format_si(unit.per_unit(i, row.executed_flop), "FLOP") +
                  " per " + std::string(unit.name()) + ", " + format_ratio(ratio) + " what " +
                  (row.shape.empty() ? std::string("its calls") : "the shape " + row.shape) +
                  " needs: ";
    if (row.operation_class == kGemmClass) {
      advice.text += "the kernel's tiles exceed the matrix.";
      advice.remedy =
          "Use sizes that are multiples of the tile, or let the library choose another kernel "
          "(autotuning).";
    } else {
      advice.text += "tiles that are masked or exceed the tensor are computed all the same.";
    }
    advice.concerned_s = unit.duration_s(i);
    advice.saving_s = -negative_s;
    advice.row_savings = {{.row = i, .time_s = -negative_s, .work_too = true}};
    advice.rows = {i};
    out.push_back(std::move(advice));
  }
  return out;
}

}  // namespace mansard::analysis
