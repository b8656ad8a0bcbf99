// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/prediction_findings.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analyzer/predict/gemm_rates.h"
#include "analyzer/predict/link_tiers.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

std::string format(const char* pattern, double a, double b = 0, double c = 0) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, a, b, c);
  return text;
}

// Source of the times of transfers.
std::string basis_of(const StepPartInfo& part, const StepPrediction& p) {
  const bool collective = part.part == StepPart::tensor || part.part == StepPart::data;
  return collective && !p.measured_collectives.empty() ? "measured collectives"
                                                       : std::string(part.basis);
}

Table parts_table(const StepPrediction& p) {
  Table table{"parts", "Parts of the step", {}, {}};
  table.columns = {{"part", "part", CellFormat::text, "", "Part of the step time."},
                   {"time_s", "predicted time", CellFormat::quantity, "s",
                    "Time per step; the parts add up to the step time."},
                   {"error_s", "±", CellFormat::quantity, "s", "One sigma.", false, 2},
                   {"share", "share", CellFormat::fraction, "", "Part / step time."},
                   {"basis", "based on", CellFormat::text, "", "Source of the predicted time."}};
  table.chart = Chart{.kind = ChartKind::bars, .label_keys = {"part"}, .value_keys = {"time_s"}};
  for (const StepPartInfo& part : step_parts()) {
    const double time_s = p.part_s(part.part);
    if (time_s == 0) continue;
    table.rows.push_back({std::string(part.label), time_s,
                          p.part_errors_s[static_cast<std::size_t>(part.part)], time_s / p.step_s,
                          basis_of(part, p)});
  }
  return table;
}

Table memory_table(const MemoryEstimate& m) {
  Table table{"memory", "Estimated memory of the GPU that needs most", {}, {}};
  table.columns = {{"what", "use", CellFormat::text, "", "Use of the memory."},
                   {"bytes", "bytes", CellFormat::quantity, "B", "Estimated bytes."}};
  table.rows = {{std::string("weights"), m.weights_bytes},
                {std::string("gradients"), m.gradients_bytes},
                {std::string("optimizer"), m.optimizer_bytes},
                {std::string("activations"), m.activations_bytes},
                {std::string("total"), m.total_bytes()}};
  return table;
}

}  // namespace

Finding step_finding(const StepPrediction& p, const TargetMachine& machine,
                     const std::vector<std::string>& notes) {
  const TrainingJob& j = p.job;
  Finding finding;
  finding.id = "step_" + std::string(to_string(j.recipe));
  finding.title = j.model.name + " in " + std::string(to_string(j.recipe)) + " on " + machine.name;
  finding.summary =
      "A step takes " + format_si(p.step_s, "s") + " ± " + format_si(p.error_s, "s", 2) +
      " (one sigma): " + format_whole(std::llround(p.tokens_per_s_per_gpu())) + " tokens/s and " +
      format_si(p.model_flop_per_s_per_gpu, "FLOP/s") + " of model FLOPs per GPU. " +
      layout_text(j) + ", global batch " + format_whole(j.global_batch) + ", micro-batch " +
      format_whole(j.micro_batch) + ", sequence " + format_whole(j.sequence) + ".";
  finding.summary += link_bound_text(p, machine);
  const double needed = p.memory.total_bytes();
  if (machine.memory_bytes > 0 && needed > machine.memory_bytes) {
    const bool parameters_fit = p.memory.parameters_bytes() <= machine.memory_bytes;
    finding.summary +=
        " Each GPU needs about " + format_si(needed, "B") + " of memory and has " +
        format_si(machine.memory_bytes, "B") +
        (parameters_fit ? ": offload or recompute activations."
                        : ": it does not fit even without activations; shard parameters more.");
  }
  for (const std::string& note : notes) finding.summary += " " + note;
  finding.summary += link_source_text(p, machine);
  Table step{"step", "Step", {}, {}};
  step.columns = {
      {"model", "model", CellFormat::text, "", "Trained model."},
      {"machine", "machine", CellFormat::text, "", "Target machine."},
      {"recipe", "recipe", CellFormat::text, "", "Precision recipe."},
      {"step_s", "predicted step", CellFormat::quantity, "s", "Step time."},
      {"error_s", "±", CellFormat::quantity, "s", "One sigma.", false, 2},
      {"tokens_per_s", "tokens/s/GPU", CellFormat::count, "", "Tokens per second and GPU."},
      {"model_flop_per_s", "model FLOP/s/GPU", CellFormat::quantity, "FLOP/s",
       "Model FLOPs per second and GPU, without recomputation."}};
  step.rows = {{j.model.name, machine.name, std::string(to_string(j.recipe)), p.step_s, p.error_s,
                static_cast<std::int64_t>(std::llround(p.tokens_per_s_per_gpu())),
                p.model_flop_per_s_per_gpu}};
  finding.tables = {step, parts_table(p), memory_table(p.memory)};
  if (Table links = link_tiers_table(p, machine); !links.rows.empty()) {
    finding.tables.push_back(std::move(links));
  }
  return finding;
}

Finding ledger_finding(const StepPrediction& a, const StepPrediction& b,
                       const TargetMachine& machine) {
  Ledger ledger = gap_ledger(a, b, machine);
  const std::string& from = ledger.baseline_name;
  const std::string& to = ledger.candidate_name;
  Finding finding;
  finding.id = "ledger";
  finding.title = b.job.model.name + " on " + machine.name + ": " + to +
                  format(" %.2fx as fast as ", ledger.speed_up()) + from + " (predicted)";
  finding.summary = "A step takes " + format_si(b.step_s, "s") + " in " + to + " and " +
                    format_si(a.step_s, "s") + " in " + from + ": " + to +
                    format(" is %.2fx ± %.2fx as fast as ", ledger.speed_up(),
                           ledger.speed_up() * ledger.speed_up_error) +
                    from + ". The peaks allow " + format("%.3gx", ledger.ceiling_ratio) + " (" +
                    format_si(ledger.ideal_s, "s") + ")." + largest_lines_text(ledger) +
                    " All times are predicted.";
  Table speed_up{"speed_up", "Speed-up", {}, {}};
  speed_up.columns = {
      {"from", "from", CellFormat::text, "", "Baseline recipe."},
      {"to", "to", CellFormat::text, "", "Candidate recipe."},
      {"peak_ratio", "ratio of peaks", CellFormat::ratio, "", "Ratio of tensor-core peak rates."},
      {"speed_up", "predicted speed-up", CellFormat::ratio, "", "Baseline step / candidate step."},
      {"error", "±", CellFormat::fraction, "", "Relative error of the speed-up (one sigma)."}};
  speed_up.rows = {{from, to, ledger.ceiling_ratio, ledger.speed_up(), ledger.speed_up_error}};
  finding.tables = {ledger_table(ledger), std::move(speed_up)};
  finding.ledger = std::make_shared<const Ledger>(std::move(ledger));
  return finding;
}

Finding assumptions_finding(const Assumptions& assumptions) {
  Finding finding;
  finding.id = "assumptions";
  finding.title = "Assumptions";
  finding.summary = "Change an assumption with --set name=value.";
  Table table{"assumptions", "Assumptions", {}, {}};
  table.columns = {{"name", "name", CellFormat::text, "", "Name for --set."},
                   {"value", "value", CellFormat::text, "", "Value in the given unit."},
                   {"unit", "unit", CellFormat::text, "", "Empty: a ratio."},
                   {"description", "meaning", CellFormat::text, "", "Meaning."},
                   {"source", "source", CellFormat::text, "", "Source of the value."}};
  for (const AssumptionInfo& info : assumption_list()) {
    table.rows.push_back({std::string(info.name), format("%g", assumptions.*info.value),
                          info.unit.empty() ? Cell() : Cell(std::string(info.unit)),
                          std::string(info.description), std::string(info.source)});
  }
  finding.tables = {std::move(table)};
  return finding;
}

Finding gemm_data_finding() {
  Finding finding;
  finding.id = "gemm_data";
  finding.title = "Measured linear layers";
  finding.summary =
      "Leave-one-out error: each layer's rate is predicted from all other layers of its GPU and "
      "format.";
  Table table{"gemm_data", "Measured linear layers", {}, {}};
  table.columns = {{"gpu", "GPU", CellFormat::text, "", "GPU in linear_layers.csv."},
                   {"dtype", "format", CellFormat::text, "", "Format in linear_layers.csv."},
                   {"layers", "layers", CellFormat::count, "", "Number of measured layers."},
                   {"error", "leave-one-out error", CellFormat::fraction, "",
                    "RMS of the relative error of the rate."},
                   {"quantize_s", "quantize 1e9 elements", CellFormat::quantity, "s",
                    "Fitted time to quantize 1e9 input elements; subtracted from the layer time."}};
  for (const MeasuredSet& set : measured_gemm_sets()) {
    table.rows.push_back(
        {std::string(set.gpu), std::string(set.dtype), static_cast<std::int64_t>(set.rates->size()),
         set.rates->leave_one_out_error(), set.rates->quantize_s_per_element() * 1e9});
  }
  finding.tables = {std::move(table)};
  return finding;
}

}  // namespace mansard::analysis
