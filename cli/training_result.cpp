// SPDX-License-Identifier: Apache-2.0
#include "cli/training_result.h"

#include <algorithm>
#include <sstream>

#include "cli/training_log.h"
#include "support/statistics.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::cli {
namespace {

using analysis::Cell;
using analysis::CellFormat;

Cell known(bool is_known, double value) { return is_known ? Cell(value) : Cell(); }

Cell median_of(const std::vector<double>& values) {
  return values.empty() ? Cell() : Cell(median(values));
}

std::string percent(double fraction) {
  std::ostringstream text;
  text.precision(fraction < 0.1 ? 2 : 3);
  text << 100 * fraction << " %";
  return text.str();
}

template <class Item, class Value>
std::vector<double> each(const std::vector<Item>& items, const Value& value) {
  std::vector<double> values;
  for (const Item& item : items) values.push_back(static_cast<double>(value(item)));
  return values;
}

double step_s(const TrainingResult& r) {
  return r.step_times_s.empty() ? 0 : median(r.step_times_s);
}

double flop_per_s(const TrainingResult& r) { return r.flop_per_step / step_s(r); }

bool is_recovered(const RecoveryRecord& r) { return r.continued_s > 0; }

std::int64_t lost_steps_of_replicas(const TrainingResult& result) {
  std::int64_t steps = 0;
  for (const RecoveryRecord& r : result.recoveries) {
    if (r.is_partial && is_recovered(r)) steps += r.lost_steps();
  }
  return steps;
}

using Columns = analysis::ColumnsOf<TrainingResult>;

const Columns& result_columns() {
  using R = TrainingResult;
  static const Columns columns = {
      {{"recipe", "recipe", CellFormat::text, "", "Recipe of the last step."},
       [](const R& r) { return Cell(r.recipe); }},
      {{"steps", "steps", CellFormat::count, "", "Steps done, including resumed ones."},
       [](const R& r) { return Cell(r.steps_done); }},
      {{"ranks", "ranks", CellFormat::count, "", "Data-parallel ranks."},
       [](const R& r) { return Cell(std::int64_t{r.ranks}); }},
      {{"syncs", "syncs", CellFormat::count, "",
        "Synchronizations of the replica of rank 0 by its last process."},
       [](const R& r) {
         return r.syncs.empty() ? Cell() : Cell(static_cast<std::int64_t>(r.syncs.size()));
       }},
      {{"staleness_steps", "staleness", CellFormat::number, "step",
        "Median number of steps from the copy of the weights to its synchronization."},
       [](const R& r) {
         return median_of(each(r.syncs, [](const auto& sync) { return sync.staleness(); }));
       }},
      {{"sync_s", "sync time", CellFormat::quantity, "s", "Median time of a synchronization."},
       [](const R& r) {
         return median_of(each(r.syncs, [](const auto& sync) { return sync.time_s; }));
       }},
      {{"save_s", "save time", CellFormat::quantity, "s",
        "Mean time of a checkpoint of rank 0, in which it does not train."},
       [](const R& r) {
         return known(r.saves > 0,
                      r.save_s / static_cast<double>(std::max<std::int64_t>(r.saves, 1)));
       }},
      {{"failures", "failures", CellFormat::count, "", "Failures of ranks that were recovered."},
       [](const R& r) {
         const auto count = std::count_if(r.recoveries.begin(), r.recoveries.end(), is_recovered);
         return count == 0 ? Cell() : Cell(std::int64_t{count});
       }},
      {{"lost_samples", "lost samples", CellFormat::fraction, "",
        "Sequences whose result was lost when a replica went back to an older state / sequences of "
        "the job (portion of lost samples, PLS)."},
       [](const R& r) {
         const bool any = std::any_of(r.recoveries.begin(), r.recoveries.end(), is_recovered);
         return any ? Cell(lost_samples(r)) : Cell();
       }},
      {{"tokens", "tokens", CellFormat::count, "", "Tokens of the steps done, of all ranks."},
       [](const R& r) { return Cell(r.steps_done * r.tokens_per_step); }},
      {{"loss_nats", "loss", CellFormat::number, "nat", "Mean loss of the last step, in nats."},
       [](const R& r) { return known(step_s(r) > 0, r.loss); }},
      {{"validation_loss_nats", "validation loss", CellFormat::number, "nat",
        "Mean loss over the validation sequences after the last step, in nats."},
       [](const R& r) {
         return known(r.validation_loss.has_value(), r.validation_loss.value_or(0));
       }},
      {{"step_s", "step", CellFormat::quantity, "s", "Median time of a step of this run."},
       [](const R& r) { return median_of(r.step_times_s); }},
      {{"tokens_per_s", "token rate", CellFormat::quantity, "token/s",
        "Tokens of a step / its median time."},
       [](const R& r) {
         return known(step_s(r) > 0, static_cast<double>(r.tokens_per_step) / step_s(r));
       }},
      {{"flop_per_s", "FLOP/s", CellFormat::quantity, "FLOP/s",
        "Model FLOPs (6 per weight and token, and causal attention) / median time."},
       [](const R& r) { return known(step_s(r) > 0, flop_per_s(r)); }},
      {{"mfu", "MFU", CellFormat::fraction, "", "Model FLOP/s / BF16 peak of the GPUs' datasheet."},
       [](const R& r) {
         return known(step_s(r) > 0 && r.peak_flop_per_s > 0, flop_per_s(r) / r.peak_flop_per_s);
       }},
      {{"mfu_measured", "of measured", CellFormat::fraction, "",
        "Model FLOP/s / measured BF16 ceiling (--machine)."},
       [](const R& r) {
         return known(step_s(r) > 0 && r.measured_peak_flop_per_s > 0,
                      flop_per_s(r) / r.measured_peak_flop_per_s);
       }},
      {{"fp8", "in FP8", CellFormat::fraction, "",
        "Share of tensors (mor_tensor) or blocks (mor_block) that MoR stored in FP8 in this run."},
       [](const R& r) {
         const bool any = blocks_of(r.choices) > 0;
         return known(any, any ? share_in_fp8(r.choices) : 0);
       }}};
  return columns;
}

const analysis::ColumnsOf<RecoveryRecord>& recovery_columns() {
  using R = RecoveryRecord;
  const auto time = [](double R::*from, double R::*to) {
    return [from, to](const R& r) { return known(r.*from > 0 && r.*to > 0, r.*to - r.*from); };
  };
  static const analysis::ColumnsOf<RecoveryRecord> columns = {
      {{"rank", "rank", CellFormat::count, "", "Rank that failed."},
       [](const R& r) { return Cell(std::int64_t{r.rank}); }},
      {{"cause", "cause", CellFormat::text, "", "How its process ended."},
       [](const R& r) {
         return Cell(r.signal != 0 ? "signal " + std::to_string(r.signal)
                                   : "exit code " + std::to_string(r.exit_code));
       }},
      {{"recovery", "recovery", CellFormat::text, "",
        "full: all ranks returned to a checkpoint; partial: only this rank did."},
       [](const R& r) { return Cell(r.is_partial ? "partial" : "full"); }},
      {{"failed_after", "failed after", CellFormat::count, "step", "Steps that it had done."},
       [](const R& r) { return Cell(r.failed_after); }},
      {{"lost_steps", "lost", CellFormat::count, "step",
        "Steps whose result was lost: since the state that it continued from. Full recovery "
        "computes them again."},
       [](const R& r) { return is_recovered(r) ? Cell(r.lost_steps()) : Cell(); }},
      {{"missed_steps", "missed", CellFormat::count, "step",
        "Partial: steps that the other ranks did without it."},
       [](const R& r) { return is_recovered(r) ? Cell(r.missed_steps()) : Cell(); }},
      {{"restart_s", "restart", CellFormat::quantity, "s",
        "From the failure until the new process is ready to load its state."},
       time(&R::failed_s, &R::ready_s)},
      {{"load_s", "load", CellFormat::quantity, "s", "Time to load its state."},
       time(&R::ready_s, &R::loaded_s)},
      {{"join_s", "join", CellFormat::quantity, "s",
        "From then until its next step: until the other ranks take it in."},
       time(&R::loaded_s, &R::continued_s)},
      {{"down_s", "down", CellFormat::quantity, "s", "From the failure until its next step."},
       time(&R::failed_s, &R::continued_s)}};
  return columns;
}

}  // namespace

double lost_samples(const TrainingResult& result) {
  const double steps = static_cast<double>(result.steps_done * result.ranks);
  return steps > 0 ? static_cast<double>(lost_steps_of_replicas(result)) / steps : 0;
}

std::string progress_line(const TrainingResult& r, double gradient_norm) {
  constexpr std::ptrdiff_t kRecent = 20;  // steps
  const auto end = r.step_times_s.end();
  const double recent_s =
      median({end - std::min(end - r.step_times_s.begin(), kRecent), r.step_times_s.end()});
  const auto mfu = [&](double peak) { return percent(r.flop_per_step / recent_s / peak); };
  std::ostringstream line;
  line << "step " << r.steps_done << "/" << r.steps << "  loss ";
  line.precision(4);
  line << std::fixed << r.loss;
  if (r.validation_loss) line << "  validation " << *r.validation_loss;
  line.precision(2);
  line << "  norm " << gradient_norm << "  "
       << format_si(static_cast<double>(r.tokens_per_step) / recent_s, "token/s");
  if (r.peak_flop_per_s > 0) line << "  MFU " << mfu(r.peak_flop_per_s);
  if (r.measured_peak_flop_per_s > 0) {
    line << " (" << mfu(r.measured_peak_flop_per_s) << " of measured)";
  }
  const double left_s = recent_s * static_cast<double>(r.steps - r.steps_done);
  line << "  " << format_si(recent_s, "s") << " per step";
  line.precision(0);
  if (left_s >= 90) {
    line << ", " << left_s / 60 << " min left";
  } else {
    line << ", " << left_s << " s left";
  }
  return line.str();
}

analysis::Finding training_finding(const TrainingResult& r) {
  analysis::Finding finding;
  finding.id = "train";
  finding.title = "Training of " + r.model + " on " + r.device;
  finding.summary = format_whole(r.steps_done) + " of " + format_whole(r.steps) + " steps of " +
                    format_si(static_cast<double>(r.tokens_per_step), "token") + "s.";
  analysis::Table table{"training", "Training", analysis::heads(result_columns()), {}};
  table.rows.push_back(analysis::cells(result_columns(), r));
  finding.tables = {table};
  if (!r.recoveries.empty()) {
    analysis::Table recoveries{
        "recoveries", "Recoveries from failures", analysis::heads(recovery_columns()), {}};
    for (const RecoveryRecord& record : r.recoveries) {
      recoveries.rows.push_back(analysis::cells(recovery_columns(), record));
    }
    finding.tables.push_back(recoveries);
  }
  return finding;
}

}  // namespace mansard::cli
