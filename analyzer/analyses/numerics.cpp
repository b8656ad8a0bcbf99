// SPDX-License-Identifier: Apache-2.0
// The training record: the loss curve, and how well quantized tensors represent their sources.
#include <algorithm>
#include <cmath>

#include "analyzer/advice/advice.h"
#include "analyzer/numerics/numerics_tables.h"
#include "analyzer/numerics/training_curve.h"
#include "support/units.h"

namespace mansard::analysis {

namespace {

std::string loss_text(const FinalLoss& last) {
  const std::string steps =
      last.steps == 1
          ? "of the last step"
          : "mean of the last " + format_whole(static_cast<std::int64_t>(last.steps)) + " steps";
  std::string text = "After " + step_text(last.step) + " (" +
                     format_si(static_cast<double>(last.tokens), "") + " tokens), the loss is " +
                     (std::isfinite(last.loss) ? format_plain(last.loss, 4) + " nat (" + steps + ")"
                                               : "not finite");
  if (last.validation) {
    text += "; the validation loss is " + format_plain(*last.validation, 4) + " nat";
    if (last.validation_step != last.step) text += " at " + step_text(last.validation_step);
  }
  return text + ".";
}

std::string snr_text(const RunAnalysis& run, const std::vector<OperandSeries>& series) {
  if (series.empty()) return "The numerics of tensors were not recorded.";
  const std::string lowest = lowest_snr_text(run.profile, series);
  return lowest.empty() ? "No recorded tensor has a quantization error." : "Lowest SNR: " + lowest;
}

Finding numerics(const RunAnalysis& run) {
  Finding finding;
  finding.id = "numerics";
  finding.title = "Training numerics";
  if (!has_training_record(run.profile)) {
    finding.summary =
        "The profile has no training record. `mansard train --numerics N` records losses and the "
        "numerics of quantized tensors.";
    return finding;
  }
  const std::vector<kernels::TrainingProgress> curve = training_curve(run.profile);
  const std::vector<OperandSeries> series = operand_series(run.profile);
  const std::vector<OperandGroup> groups = operand_groups(run.profile, series);
  if (const std::optional<FinalLoss> last = final_loss(curve)) {
    finding.summary = loss_text(*last) + " ";
  }
  finding.summary += snr_text(run, series);
  for (const Advice& advice : advise_on_numerics(run, RunUnit(run))) {
    finding.summary += " " + advice.text;
  }
  for (Table& table : std::vector<Table>{
           training_table(curve), losses_table(curve), snr_table(run.profile, series, groups),
           groups_table(run.profile, series, groups), tensors_table(run.profile, series)}) {
    if (!table.rows.empty()) finding.tables.push_back(std::move(table));
  }
  return finding;
}

}  // namespace

void register_numerics(AnalysisRegistry& registry) {
  registry.add({.name = "numerics",
                .summary = "Training loss, and the quantization error of each tensor",
                .order = 19,
                .run = numerics});
}

}  // namespace mansard::analysis
