// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/gap_ledger.h"

#include <cmath>
#include <stdexcept>

#include "analyzer/explain/ledger_builder.h"

namespace mansard::analysis {
namespace {

// GEMM time of the layers that B keeps in BF16 (`kept`), or of all others.
double gemm_s(const StepPrediction& p, const TrainingJob& b, bool kept) {
  double sum = 0;
  for (std::size_t layer = 0; layer < p.gemm_by_layer_s.size(); ++layer) {
    if (b.in_bf16(layer) == kept) sum += p.gemm_by_layer_s[layer];
  }
  return sum;
}

// One sigma of ln(T_A / T_B). The errors of the two recipes' GEMMs are independent, because they
// were measured separately; all other parts have the same relative error in both.
double speed_up_error(const StepPrediction& a, const StepPrediction& b) {
  double squares = 0;
  for (std::size_t i = 0; i < kStepParts; ++i) {
    const double of_a = a.part_errors_s[i] / a.step_s;
    const double of_b = b.part_errors_s[i] / b.step_s;
    const bool apart = step_parts()[i].part == StepPart::gemm && a.job.recipe != b.job.recipe;
    squares += apart ? of_a * of_a + of_b * of_b : (of_a - of_b) * (of_a - of_b);
  }
  return std::sqrt(squares);
}

std::string change_text(double before_s, double after_s) {
  if (before_s == after_s) return ", unchanged";
  if (before_s == 0) return ", added";
  if (after_s == 0) return ", removed";
  return "";
}

}  // namespace

Ledger gap_ledger(const StepPrediction& a, const StepPrediction& b, const TargetMachine& machine) {
  if (a.job.model.name != b.job.model.name ||
      a.job.global_batch * a.job.sequence != b.job.global_batch * b.job.sequence) {
    throw std::runtime_error(
        "a ledger needs two steps of the same model with the same number of tokens");
  }
  Ledger ledger;
  ledger.kind = LedgerKind::prediction;
  ledger.baseline_name = to_string(a.job.recipe);
  ledger.candidate_name = to_string(b.job.recipe);
  ledger.ceiling_ratio =
      machine.peak(precision_of(b.job.recipe)) / machine.peak(precision_of(a.job.recipe));
  ledger.ratio_source = "ratio of tensor-core peak rates";
  ledger.baseline_s = a.step_s;
  ledger.ideal_s = a.step_s / ledger.ceiling_ratio;
  ledger.measured_s = b.step_s;
  ledger.speed_up_error = speed_up_error(a, b);
  const auto add = [&](std::string key, std::string cause, double before_s, double after_s) {
    if (before_s == 0 && after_s == 0) return;
    const double ideal_s = before_s / ledger.ceiling_ratio;
    LedgerDetail detail =
        make_detail(cause, before_s, after_s, ledger.ceiling_ratio, after_s - ideal_s);
    ledger.lines.push_back(make_line(std::move(key), std::move(cause), "", {std::move(detail)}));
  };
  add("gemm_efficiency", "converted GEMMs", gemm_s(a, b.job, false), gemm_s(b, b.job, false));
  add("kept_bf16", "high-precision GEMMs (BF16)", gemm_s(a, b.job, true), gemm_s(b, b.job, true));
  for (const StepPartInfo& part : step_parts()) {
    if (part.part == StepPart::gemm) continue;
    const double before_s = a.part_s(part.part);
    const double after_s = b.part_s(part.part);
    add(std::string(part.key), std::string(part.label) + change_text(before_s, after_s), before_s,
        after_s);
  }
  return ledger;
}

}  // namespace mansard::analysis
