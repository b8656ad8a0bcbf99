// SPDX-License-Identifier: Apache-2.0
#include "analyzer/goodput/goodput_chain.h"

#include <string>
#include <utility>
#include <vector>

#include "analyzer/explain/ledger_builder.h"

namespace mansard::analysis {
namespace {

// Model FLOPs of a step per GPU, by the operation that does them.
struct ModelFlop {
  double total = 0;
  double attention = 0;
  double head = 0;
  double kept = 0;  // layers kept in BF16
  double converted() const { return total - attention - head - kept; }
  double high_precision() const { return attention + head + kept; }
};

ModelFlop flop_of(const TrainingJob& job) {
  const kernels::TransformerModel& model = job.model;
  const auto hidden = static_cast<double>(model.hidden);
  const double tokens =
      static_cast<double>(job.global_batch * job.sequence) / static_cast<double>(job.gpus);
  const std::vector<kernels::TransformerBlocks> layers = layers_of(model);
  // Each weight costs 6 FLOPs per token, as in TransformerModel::training_flop_per_token().
  ModelFlop flop;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].attention) {
      flop.attention += 6 * tokens * static_cast<double>(job.sequence * model.q_features());
    }
    if (!job.in_bf16(i)) continue;
    const double norms = hidden * ((layers[i].attention ? 1 : 0) + (layers[i].ffn > 0 ? 1 : 0));
    flop.kept += 6 * tokens * (parameters_of_block(model, layers[i]) - norms);
  }
  flop.head = 6 * tokens * hidden * static_cast<double>(model.vocabulary);
  flop.total = tokens * model.training_flop_per_token(job.sequence);
  return flop;
}

void add(Ledger& ledger, std::string id, std::string label, std::string meaning,
         const std::vector<std::pair<std::string, double>>& parts) {
  std::vector<LedgerDetail> details;
  for (const auto& [name, time_s] : parts) {
    if (time_s != 0) details.push_back(make_detail(name, std::nullopt, time_s, 1, time_s));
  }
  if (details.empty()) return;
  ledger.lines.push_back(
      make_line(std::move(id), std::move(label), std::move(meaning), std::move(details)));
}

void add_step(GoodputChain& chain, const StepPrediction& p, const TargetMachine& machine) {
  const ModelFlop flop = flop_of(p.job);
  const double peak = machine.peak(precision_of(p.job.recipe));
  const double bf16_peak = machine.peak(Precision::bf16);
  Ledger& ledger = chain.ledger;
  chain.flop = flop.total;
  chain.first_row = "at the peak of " + std::string(to_string(p.job.recipe));
  chain.first_text = "Model FLOPs / tensor-core peak rate of the recipe's format";
  ledger.ideal_s = flop.total / peak;
  const auto of = [&](StepPart part) {
    for (const StepPartInfo& info : step_parts()) {
      if (info.part == part) return std::pair(std::string(info.label), p.part_s(part));
    }
    return std::pair(std::string(), 0.0);
  };
  add(ledger, "high_precision", "FLOPs in BF16, at its peak",
      "Attention, language-model head and layers kept in BF16: FLOPs x (1 / BF16 peak - 1 / peak)",
      {{"FLOPs in BF16", flop.high_precision() * (1 / bf16_peak - 1 / peak)}});
  add(ledger, "gemm", "GEMMs below peak",
      "Predicted GEMM time of layers and head - their FLOPs / peak",
      {{"GEMMs of the layers", p.part_s(StepPart::gemm) - flop.converted() / peak -
                                   (flop.kept > 0 ? flop.kept / bf16_peak : 0)},
       {"GEMMs of the head", p.part_s(StepPart::head) - flop.head / bf16_peak}});
  add(ledger, "attention", "attention below peak",
      "Predicted attention time - its FLOPs / BF16 peak",
      {{"attention", p.part_s(StepPart::attention) - flop.attention / bf16_peak}});
  add(ledger, "non_gemm", "non-GEMM time",
      "Norms, activations, conversions and optimizer; recomputed layers",
      {of(StepPart::elementwise), of(StepPart::conversion), of(StepPart::optimizer),
       of(StepPart::recompute)});
  add(ledger, "communication", "exposed communication between layers and stages",
      "Tensor-, context- and pipeline-parallel communication that compute does not hide",
      {of(StepPart::tensor), of(StepPart::context), of(StepPart::pipeline)});
  add(ledger, "idle", "idle: pipeline and host",
      "Pipeline bubble and imbalance; waiting for the host to launch kernels",
      {of(StepPart::bubble), of(StepPart::imbalance), of(StepPart::host)});
}

std::string capital(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 32);
  return out;
}

}  // namespace

GoodputChain goodput_chain(const GoodputJob& job, const Goodput& goodput,
                           const StepPrediction* prediction, const TargetMachine* machine) {
  GoodputChain chain;
  if (prediction != nullptr && machine != nullptr) {
    add_step(chain, *prediction, *machine);
  } else {
    chain.first_row = "step without synchronization";
    chain.first_text = "Given step time";
    chain.ledger.ideal_s = job.compute_s;
  }
  Ledger& ledger = chain.ledger;
  ledger.baseline_s = ledger.ideal_s;
  ledger.ratio_source = chain.first_text;
  const auto per_step = [&](GoodputPart part) { return goodput[part] / goodput.steps; };
  for (const GoodputPartInfo& info : goodput_parts()) {
    if (info.part == GoodputPart::compute) continue;
    add(ledger, std::string(info.key), std::string(info.label), std::string(info.meaning),
        {{std::string(info.label), per_step(info.part)}});
  }
  ledger.measured_s = goodput.wall_s() / goodput.steps;
  return chain;
}

Table chain_table(const GoodputChain& chain) {
  using enum CellFormat;
  const Ledger& ledger = chain.ledger;
  const auto ends = [&](const LedgerRow& row) { return row.line == nullptr; };
  ColumnsOf<LedgerRow> columns = {
      {{"cause", "cause", text, "", "Where the time goes, from kernel to run"},
       [&](const LedgerRow& row) {
         return row.id == "ideal" ? chain.first_row
                : ends(row)       ? std::string("wall time per step")
                                  : capital(row.label);
       }},
      {{"time_s", "adds", quantity, "s", "Time added to each completed step", true},
       [&](const LedgerRow& row) { return ends(row) ? Cell() : Cell(row.adds_s); }},
      {{"after_s", "time so far", quantity, "s", "Time per step with all causes down to this one"},
       [](const LedgerRow& row) { return cell_of(row.after_s); }},
  };
  if (chain.flop > 0) {
    columns.push_back(
        {{"flop_per_s", "FLOP/s per GPU", quantity, "FLOP/s", "Model FLOPs / time so far"},
         [&](const LedgerRow& row) { return Cell(chain.flop / row.after_s.value_or(0)); }});
    columns.push_back({{"of_peak", "of peak", fraction, "", "Time at peak / time so far (MFU)"},
                       [](const LedgerRow& row) { return cell_of(row.speed_up); }});
  }
  columns.push_back(
      {{"efficiency", "efficiency", fraction, "", "Time before this cause / time after it"},
       [&](const LedgerRow& row) {
         if (row.line == nullptr || !row.after_s) return Cell();
         return Cell((*row.after_s - row.adds_s) / *row.after_s);
       }});
  columns.push_back(
      {{"meaning", "meaning", text, "", "Definition of the cause"}, [&](const LedgerRow& row) {
         return row.id == "ideal" ? text_cell(chain.first_text)
                : ends(row)       ? Cell(std::string("Wall time / completed steps"))
                                  : text_cell(row.meaning);
       }});
  Table table{"chain", "From peak to goodput, per completed step", heads(columns), {}};
  table.chart = Chart{.kind = ChartKind::waterfall,
                      .label_keys = {"cause"},
                      .description_key = "meaning",
                      .value_keys = {"time_s"},
                      .total_key = "after_s"};
  for (const LedgerRow& row : ledger_rows(ledger)) table.rows.push_back(cells(columns, row));
  return table;
}

}  // namespace mansard::analysis
