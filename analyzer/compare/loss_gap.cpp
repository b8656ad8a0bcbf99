// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/loss_gap.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analyzer/numerics/numerics_tables.h"
#include "analyzer/numerics/training_curve.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

using kernels::TrainingProgress;
using Curve = std::vector<TrainingProgress>;

constexpr std::size_t kWorstTensors = 20;
constexpr int kGapDigits = 2;  // of differences of losses

struct CommonStep {
  const TrainingProgress* a = nullptr;  // null: the run did not record this step
  const TrainingProgress* b = nullptr;
  std::int64_t step() const { return a ? a->step : b->step; }
};

// All steps of both curves, ascending.
std::vector<CommonStep> merged(const Curve& a, const Curve& b) {
  std::vector<CommonStep> all;
  auto of_a = a.begin();
  auto of_b = b.begin();
  while (of_a != a.end() || of_b != b.end()) {
    const bool take_a = of_b == b.end() || (of_a != a.end() && of_a->step <= of_b->step);
    const bool take_b = of_a == a.end() || (of_b != b.end() && of_b->step <= of_a->step);
    all.push_back({take_a ? &*of_a++ : nullptr, take_b ? &*of_b++ : nullptr});
  }
  return all;
}

std::optional<double> finite_validation(const TrainingProgress& step) {
  return step.validation_loss && std::isfinite(*step.validation_loss) ? step.validation_loss
                                                                      : std::nullopt;
}

Cell loss_cell(const TrainingProgress* step) {
  return step && std::isfinite(step->loss) ? Cell(step->loss) : Cell();
}

Cell validation_cell(const TrainingProgress* step) {
  return step ? cell_of(finite_validation(*step)) : Cell();
}

// "1.25 % higher"
std::string gap_text(const LossGap& gap) {
  char text[48];
  std::snprintf(text, sizeof text, "%.2f %% %s", 100 * std::fabs(gap.relative()),
                gap.relative() < 0 ? "lower" : "higher");
  return text;
}

std::string summary(const std::optional<LossGap>& validation,
                    const std::optional<LossGap>& training) {
  const std::optional<LossGap>& gap = validation ? validation : training;
  if (!gap) return "The runs have no common step with a loss: their losses are not comparable.";
  std::string text = validation ? "The validation loss of B at " + step_text(gap->step)
                                : "The loss of B, mean of the " +
                                      format_whole(static_cast<std::int64_t>(gap->steps)) +
                                      " last common steps up to " + step_text(gap->step) + ",";
  text += " is " + format_plain(gap->b, 4) + " nat, that of A " + format_plain(gap->a, 4) +
          " nat: " + gap_text(*gap) + ".";
  if (gap->tokens_a != gap->tokens_b) {
    text += " They are not comparable: up to this step, A trained on " +
            format_whole(gap->tokens_a) + " tokens and B on " + format_whole(gap->tokens_b) + ".";
  }
  return text;
}

Table gaps_table(const std::optional<LossGap>& validation, const std::optional<LossGap>& training) {
  Table table{"loss_gap", "Loss gap", {}, {}};
  table.columns = {
      {"what", "metric", CellFormat::text, "", "Compared loss"},
      loss_column("a_nats", "A", "Loss of run A"),
      loss_column("b_nats", "B", "Loss of run B"),
      {"difference_nats", "B - A", CellFormat::number, "nat", "Negative: B has a lower loss", true,
       kGapDigits},
      {"change_percent", "change", CellFormat::number, "%", "100 (B - A) / A", true, kGapDigits},
      {"step", "at step", CellFormat::count, "", "Last compared step, from 0"},
      {"steps", "steps", CellFormat::count, "", "Number of steps whose mean is compared"}};
  const auto add = [&](const char* what, const std::optional<LossGap>& gap) {
    if (!gap) return;
    table.rows.push_back({what, gap->a, gap->b, gap->difference(), 100 * gap->relative(), gap->step,
                          static_cast<std::int64_t>(gap->steps)});
  };
  add("validation loss", validation);
  add("training loss", training);
  return table;
}

Table loss_pairs_table(const std::vector<CommonStep>& steps) {
  Table table{"losses", "Loss of both runs by step", {}, {}};
  table.columns = {
      {"step", "step", CellFormat::count, "", "Training step, from 0"},
      loss_column("a_loss_nats", "loss A", "Training loss of run A"),
      loss_column("b_loss_nats", "loss B", "Training loss of run B"),
      loss_column("a_validation_nats", "validation loss A", "-: not measured in this step"),
      loss_column("b_validation_nats", "validation loss B", "-: not measured in this step")};
  table.chart =
      Chart{.kind = ChartKind::lines,
            .label_keys = {"step"},
            .value_keys = {"a_loss_nats", "b_loss_nats", "a_validation_nats", "b_validation_nats"}};
  for (const CommonStep& at : steps) {
    table.rows.push_back({at.step(), loss_cell(at.a), loss_cell(at.b), validation_cell(at.a),
                          validation_cell(at.b)});
  }
  return table;
}

// The gap over the course of the training: of the validation losses or, with fewer than two of
// them, of the mean training losses of consecutive steps, since single steps depend on their batch.
Table gap_by_step_table(const std::vector<CommonStep>& steps) {
  constexpr std::size_t kWindows = 50;
  Table table{"gap", "Loss gap by step", {}, {}};
  table.columns = {
      {"step", "step", CellFormat::count, "", "Training step, from 0"},
      {"gap_percent", "(B - A) / A", CellFormat::number, "%",
       "Relative difference of the losses; positive: B has a higher loss", true, kGapDigits}};
  table.chart =
      Chart{.kind = ChartKind::lines, .label_keys = {"step"}, .value_keys = {"gap_percent"}};
  std::vector<const CommonStep*> trained;
  for (const CommonStep& at : steps) {
    if (!at.a || !at.b) continue;
    if (std::isfinite(at.a->loss) && std::isfinite(at.b->loss)) trained.push_back(&at);
    const auto a = finite_validation(*at.a);
    const auto b = finite_validation(*at.b);
    if (a && b) table.rows.push_back({at.step(), 100 * (*b - *a) / *a});
  }
  table.title = "Gap of the validation losses by step";
  if (table.rows.size() > 1) return table;
  table.rows.clear();
  const std::size_t window = std::max<std::size_t>(1, trained.size() / kWindows);
  for (std::size_t first = 0; first + window <= trained.size(); first += window) {
    double a = 0;
    double b = 0;
    for (std::size_t i = first; i < first + window; ++i) {
      a += trained[i]->a->loss;
      b += trained[i]->b->loss;
    }
    table.rows.push_back({trained[first + window - 1]->step(), 100 * (b - a) / a});
  }
  table.title = window > 1 ? "Gap of the training losses, means of " +
                                 format_whole(static_cast<std::int64_t>(window)) + " steps"
                           : "Gap of the training losses by step";
  return table;
}

}  // namespace

std::optional<LossGap> validation_gap(const Curve& a, const Curve& b) {
  std::optional<LossGap> gap;
  for (const CommonStep& at : merged(a, b)) {
    if (!at.a || !at.b) continue;
    const auto of_a = finite_validation(*at.a);
    const auto of_b = finite_validation(*at.b);
    if (of_a && of_b) gap = LossGap{at.step(), 1, at.a->tokens, at.b->tokens, *of_a, *of_b};
  }
  return gap;
}

std::optional<LossGap> training_gap(const Curve& a, const Curve& b) {
  std::vector<CommonStep> common = merged(a, b);
  std::erase_if(common, [](const CommonStep& at) {
    return !at.a || !at.b || !std::isfinite(at.a->loss) || !std::isfinite(at.b->loss);
  });
  if (common.empty()) return std::nullopt;
  const CommonStep& last = common.back();
  LossGap gap{last.step(), final_steps(common.size()), last.a->tokens, last.b->tokens, 0, 0};
  for (std::size_t i = common.size() - gap.steps; i < common.size(); ++i) {
    gap.a += common[i].a->loss / static_cast<double>(gap.steps);
    gap.b += common[i].b->loss / static_cast<double>(gap.steps);
  }
  return gap;
}

std::optional<Finding> loss_finding(const RunAnalysis& a, const RunAnalysis& b) {
  const Curve curve_a = training_curve(a.profile);
  const Curve curve_b = training_curve(b.profile);
  if (curve_a.empty() || curve_b.empty()) return std::nullopt;
  const std::optional<LossGap> validation = validation_gap(curve_a, curve_b);
  const std::optional<LossGap> training = training_gap(curve_a, curve_b);
  Finding finding;
  finding.id = "loss";
  finding.title = "Loss of B: " + b.title + " vs. A: " + a.title;
  finding.summary = summary(validation, training);
  const std::vector<OperandSeries> series = operand_series(b.profile);
  if (const std::string lowest = lowest_snr_text(b.profile, series); !lowest.empty()) {
    finding.summary += " Lowest SNR of B: " + lowest;
  }
  const std::vector<CommonStep> steps = merged(curve_a, curve_b);
  const auto quantized = static_cast<std::size_t>(std::ranges::count_if(
      series, [](const OperandSeries& operand) { return operand.lowest_snr.has_value(); }));
  Table tensors = tensors_table(b.profile, series, std::min(kWorstTensors, quantized));
  tensors.title = "Tensors of B with the lowest SNR";
  for (Table& table : std::vector<Table>{gaps_table(validation, training), loss_pairs_table(steps),
                                         gap_by_step_table(steps), std::move(tensors)}) {
    if (!table.rows.empty()) finding.tables.push_back(std::move(table));
  }
  return finding;
}

}  // namespace mansard::analysis
