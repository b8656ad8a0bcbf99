// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/prediction_findings.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analyzer/predict/gemm_rates.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

std::string format(const char* pattern, double a, double b = 0, double c = 0) {
  char text[256];
  std::snprintf(text, sizeof text, pattern, a, b, c);
  return text;
}

Table parts_table(const StepPrediction& p) {
  Table table{"parts", "Parts of the step", {}, {}};
  table.columns = {
      {"part", "part", CellFormat::text, "", "What the time is spent on."},
      {"time_s", "predicted time", CellFormat::quantity, "s", "Per step; the parts add up to it."},
      {"error_s", "+-", CellFormat::quantity, "s", "One sigma."},
      {"share", "share", CellFormat::fraction, "", "Of the step."},
      {"basis", "from", CellFormat::text, "", "Where the figure comes from."}};
  table.chart = Chart{.kind = ChartKind::bars, .label_keys = {"part"}, .value_keys = {"time_s"}};
  for (const StepPartInfo& part : step_parts()) {
    const double time_s = p.part_s(part.part);
    if (time_s == 0) continue;
    table.rows.push_back({std::string(part.label), time_s,
                          p.part_errors_s[static_cast<std::size_t>(part.part)], time_s / p.step_s,
                          std::string(part.basis)});
  }
  return table;
}

Table memory_table(const MemoryEstimate& m) {
  Table table{"memory", "Memory of the fullest GPU, estimated", {}, {}};
  table.columns = {{"what", "what", CellFormat::text, "", "What lies there."},
                   {"bytes", "bytes", CellFormat::quantity, "B", "How much."}};
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
  finding.summary = format("A step takes %.3g s +- %.2g s (one sigma): ", p.step_s, p.error_s) +
                    format("%.0f tokens/s and %.0f TFLOP/s of model work per GPU. ",
                           p.tokens_per_s_per_gpu(), p.model_flop_per_s_per_gpu / 1e12) +
                    layout_text(j) + ", global batch " + std::to_string(j.global_batch) +
                    ", micro-batch " + std::to_string(j.micro_batch) + ", sequence " +
                    std::to_string(j.sequence) + ".";
  const double needed = p.memory.total_bytes();
  if (machine.memory_bytes > 0 && needed > machine.memory_bytes) {
    const bool parameters_fit = p.memory.parameters_bytes() <= machine.memory_bytes;
    finding.summary +=
        " About " + format_si(needed, "B") + " are needed in each GPU's " +
        format_si(machine.memory_bytes, "B") +
        (parameters_fit ? ": it fits only if activations are offloaded or recomputed."
                        : ": it does not fit, nor without activations; shard it more.");
  }
  for (const std::string& note : notes) finding.summary += " " + note;
  Table step{"step", "Step", {}, {}};
  step.columns = {
      {"model", "model", CellFormat::text, "", "What is trained."},
      {"machine", "machine", CellFormat::text, "", "Where."},
      {"recipe", "recipe", CellFormat::text, "", "In which formats."},
      {"step_s", "predicted step", CellFormat::quantity, "s", "Time of a step."},
      {"error_s", "+-", CellFormat::quantity, "s", "One sigma."},
      {"tokens_per_s", "tokens/s/GPU", CellFormat::count, "", "Tokens a second and GPU."},
      {"model_flop_per_s", "model work/GPU", CellFormat::quantity, "FLOP/s",
       "Model FLOPs a second and GPU, nothing recomputed."}};
  step.rows = {{j.model.name, machine.name, std::string(to_string(j.recipe)), p.step_s, p.error_s,
                static_cast<std::int64_t>(std::llround(p.tokens_per_s_per_gpu())),
                p.model_flop_per_s_per_gpu}};
  finding.tables = {step, parts_table(p), memory_table(p.memory)};
  return finding;
}

Finding ledger_finding(const StepPrediction& a, const StepPrediction& b,
                       const TargetMachine& machine) {
  Ledger ledger = gap_ledger(a, b, machine);
  const std::string& from = ledger.baseline_name;
  const std::string& to = ledger.candidate_name;
  Finding finding;
  finding.id = "ledger";
  finding.title = "From " + from + " to " + to +
                  format(": %.3g times the peak, %.2f times the speed", ledger.ceiling_ratio,
                         ledger.speed_up());
  finding.summary =
      to +
      format(" is %.2fx +- %.2fx as fast as ", ledger.speed_up(),
             ledger.speed_up() * ledger.speed_up_error) +
      from + format(": %.0f ms of %.0f ms saved.", 1e3 * (a.step_s - b.step_s), 1e3 * a.step_s) +
      " Each cause is compared with the ideal; they add up to the predicted saving. All times are "
      "predicted.";
  Table speed_up{"speed_up", "Speed-up", {}, {}};
  speed_up.columns = {
      {"from", "from", CellFormat::text, "", "The recipe compared with."},
      {"to", "to", CellFormat::text, "", "The predicted recipe."},
      {"peak_ratio", "peaks", CellFormat::ratio, "", "Ratio of the tensor cores' peaks."},
      {"speed_up", "predicted speed-up", CellFormat::ratio, "", "Of the step."},
      {"error", "+-", CellFormat::fraction, "", "One sigma of the speed-up, relative."}};
  speed_up.rows = {{from, to, ledger.ceiling_ratio, ledger.speed_up(), ledger.speed_up_error}};
  finding.tables = {std::move(speed_up), ledger_table(ledger)};
  finding.ledger = std::make_shared<const Ledger>(std::move(ledger));
  return finding;
}

Finding assumptions_finding(const Assumptions& assumptions) {
  Finding finding;
  finding.id = "assumptions";
  finding.title = "Assumptions";
  finding.summary = "Each can be changed with --set name=value.";
  Table table{"assumptions", "Assumptions", {}, {}};
  table.columns = {{"name", "name", CellFormat::text, "", "For --set."},
                   {"value", "value", CellFormat::text, "", "In the unit beside it."},
                   {"unit", "unit", CellFormat::text, "", "None: a ratio."},
                   {"description", "what", CellFormat::text, "", "What it stands for."},
                   {"source", "source", CellFormat::text, "", "Where the value is from."}};
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
      "Error of a layer's rate when it is predicted from all others of its GPU and format.";
  Table table{"gemm_data", "Measured linear layers", {}, {}};
  table.columns = {{"gpu", "GPU", CellFormat::text, "", "As in linear_layers.csv."},
                   {"dtype", "format", CellFormat::text, "", "The same."},
                   {"layers", "layers", CellFormat::count, "", "How many were measured."},
                   {"error", "left-out error", CellFormat::fraction, "",
                    "Root mean square, one layer left out."},
                   {"quantize_s", "per 1e9 quantized", CellFormat::quantity, "s",
                    "Fitted time of quantizing 1e9 elements of the input, taken off."}};
  for (const MeasuredSet& set : measured_gemm_sets()) {
    table.rows.push_back(
        {std::string(set.gpu), std::string(set.dtype), static_cast<std::int64_t>(set.rates->size()),
         set.rates->leave_one_out_error(), set.rates->quantize_s_per_element() * 1e9});
  }
  finding.tables = {std::move(table)};
  return finding;
}

}  // namespace mansard::analysis
