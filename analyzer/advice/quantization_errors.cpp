// SPDX-License-Identifier: Apache-2.0
// Quantization errors that a change of scaling or format would reduce, and values that are not
// finite. They cost accuracy, not time, so there is no saving.
#include <algorithm>
#include <cmath>

#include "analyzer/advice/advice.h"
#include "analyzer/numerics/operand_series.h"
#include "analyzer/numerics/training_curve.h"
#include "support/statistics.h"

namespace mansard::analysis {
namespace {

using kernels::TensorNumerics;

constexpr double kManySaturated = 1e-3;  // share of elements; a current scale has none
constexpr double kManyZeros = 0.1;       // share of the nonzero elements of a gradient in E4M3
// Below the median of its group by this many dB, a layer's error power is four times the usual one.
constexpr double kOutlier_db = 6;
constexpr std::size_t kFewLayers = 4;  // too few to know what is usual

std::string more_text(std::size_t more) {
  if (more == 0) return {};
  return " (and " + std::to_string(more) + (more == 1 ? " more operand)" : " more operands)");
}

// The operand of `found` with the largest value, and the number of the others.
struct Worst {
  const OperandSeries* series = nullptr;
  const TensorNumerics* record = nullptr;
  double value = 0;
  std::size_t count = 0;

  void include(const OperandSeries& operand, const TensorNumerics& at, double of) {
    ++count;
    if (series != nullptr && of <= value) return;
    series = &operand;
    record = &at;
    value = of;
  }
};

Advice advice_of(std::string id, std::string title, std::string text, std::string remedy) {
  Advice advice;
  advice.id = std::move(id);
  advice.title = std::move(title);
  advice.text = std::move(text);
  advice.remedy = std::move(remedy);
  return advice;
}

bool has_tensor_scale(const OperandSeries& series) {
  return series.format == Precision::fp8_e4m3 || series.format == Precision::fp8_e5m2;
}

void advise_on_saturation(const store::Profile& profile, const std::vector<OperandSeries>& all,
                          std::vector<Advice>& found) {
  Worst worst;
  for (const OperandSeries& series : all) {
    // A block scale that is rounded down saturates by design; only a scale from earlier steps
    // saturates FP8.
    if (!series.most_saturated || !has_tensor_scale(series)) continue;
    const TensorNumerics& record = profile.tensor_numerics[*series.most_saturated].numerics;
    if (*record.saturated >= kManySaturated) worst.include(series, record, *record.saturated);
  }
  if (worst.series == nullptr) return;
  found.push_back(advice_of("saturated_operands", "FP8 scale too small",
                            operand_text(*worst.series) + " exceeds the range of its scale in " +
                                format_plain(100 * worst.value, 2) + " % of its elements at " +
                                step_text(worst.record->step) + more_text(worst.count - 1) +
                                ": its scale comes from earlier steps.",
                            "Use current scaling, or a longer amax history."));
}

void advise_on_underflow(const store::Profile& profile, const std::vector<OperandSeries>& all,
                         std::vector<Advice>& found) {
  Worst worst;
  for (const OperandSeries& series : all) {
    if (!series.most_underflow || series.format != Precision::fp8_e4m3 || series.tensor != "dy") {
      continue;
    }
    const TensorNumerics& record = profile.tensor_numerics[*series.most_underflow].numerics;
    if (*record.underflow >= kManyZeros) worst.include(series, record, *record.underflow);
  }
  if (worst.series == nullptr) return;
  found.push_back(advice_of("gradient_underflow", "Gradients vanish in FP8 E4M3",
                            format_plain(100 * worst.value, 2) + " % of the nonzero elements of " +
                                operand_text(*worst.series) + " became zero in FP8 E4M3 at " +
                                step_text(worst.record->step) + more_text(worst.count - 1) + ".",
                            "Use E5M2 or a scale per block, which cover a larger range."));
}

// Layers whose operands are far worse than those of the other layers.
void advise_on_outliers(const store::Profile& profile, const std::vector<OperandSeries>& all,
                        std::vector<Advice>& found) {
  Worst worst;
  double usual_db = 0;
  for (const OperandGroup& group : operand_groups(profile, all)) {
    if (group.series.size() < kFewLayers) continue;
    std::vector<double> layers;
    for (const std::size_t i : group.series) layers.push_back(*all[i].median_snr_db);
    const double usual = median(layers);
    for (const std::size_t i : group.series) {
      const double below = usual - *all[i].median_snr_db;
      if (below < kOutlier_db) continue;
      worst.include(all[i], profile.tensor_numerics[*all[i].lowest_snr].numerics, below);
      if (worst.series == &all[i]) usual_db = usual;
    }
  }
  if (worst.series == nullptr) return;
  found.push_back(advice_of(
      "outlier_layers", "Layer with a large quantization error",
      "The median SNR of " + operand_text(*worst.series) + more_text(worst.count - 1) + " is " +
          format_plain(*worst.series->median_snr_db) + " dB, that of the other layers " +
          format_plain(usual_db) + " dB: its error power is " +
          format_plain(std::pow(10.0, worst.value / 10), 2) + " times theirs.",
      "If the loss is too high, keep this layer in a format with more bits."));
}

void advise_on_divergence(const store::Profile& profile, std::vector<Advice>& found) {
  const auto diverged = std::ranges::find_if(
      profile.training_steps, [](const auto& row) { return !std::isfinite(row.step.loss); });
  const auto tensor = std::ranges::find_if(
      profile.tensor_numerics,
      [](const store::TensorNumericsRow& row) { return !std::isfinite(row.numerics.amax); });
  if (diverged == profile.training_steps.end() && tensor == profile.tensor_numerics.end()) return;
  std::string text;
  if (diverged != profile.training_steps.end()) {
    text = "The loss is not finite at " + step_text(diverged->step.step) + ".";
  }
  if (tensor != profile.tensor_numerics.end()) {
    const TensorNumerics& n = tensor->numerics;
    text += (text.empty() ? "" : " ") + n.tensor + " in " + n.gemm + " of " + n.layer +
            " is the first recorded operand with a value that is not finite, at " +
            step_text(n.step) + ".";
  }
  found.push_back(advice_of("not_finite", "Values are not finite", std::move(text),
                            "Restart from an earlier checkpoint with a lower learning rate or a "
                            "format with a larger range."));
}

}  // namespace

std::vector<Advice> advise_on_numerics(const RunAnalysis& run, const RunUnit&) {
  std::vector<Advice> found;
  if (!has_training_record(run.profile)) return found;
  const std::vector<OperandSeries> series = operand_series(run.profile);
  advise_on_divergence(run.profile, found);
  advise_on_saturation(run.profile, series, found);
  advise_on_underflow(run.profile, series, found);
  advise_on_outliers(run.profile, series, found);
  return found;
}

}  // namespace mansard::analysis
