// SPDX-License-Identifier: Apache-2.0
#include "analyzer/numerics/numerics_tables.h"

#include <algorithm>
#include <cmath>

#include "analyzer/numerics/training_curve.h"

namespace mansard::analysis {
namespace {

using kernels::TensorNumerics;

constexpr std::size_t kMaxLines = 6;  // in a chart; more cannot be told apart

Cell finite(double value) { return std::isfinite(value) ? Cell(value) : Cell(); }

Cell finite(const std::optional<double>& value) { return value ? finite(*value) : Cell(); }

Column snr_column(std::string key, std::string label, std::string description) {
  return {std::move(key), std::move(label), CellFormat::number, "dB", std::move(description)};
}

const Column kTensor = {"tensor", "tensor", CellFormat::text, "",
                        "Operand: x (activation), W (weight) or dy (gradient)"};
const Column kGemm = {"gemm", "GEMM", CellFormat::text, "",
                      "GEMM that reads the operand: fprop (y), dgrad (dx) or wgrad (dW)"};
const Column kFormat = {"format", "format", CellFormat::text, "",
                        "Number format of the operand; BF16: not quantized"};

// An operand as a row of a table.
struct Operand {
  const store::Profile& profile;
  const OperandSeries& series;

  const TensorNumerics& record(std::size_t i) const { return profile.tensor_numerics[i].numerics; }
  Cell at(const std::optional<std::size_t>& i,
          std::optional<double> TensorNumerics::*member) const {
    return i ? cell_of(record(*i).*member) : Cell();
  }
  Cell share(std::size_t format) const {
    return series.shares ? Cell((*series.shares)[format]) : Cell();
  }
};

ColumnsOf<Operand> operand_columns() {
  const auto share = [](std::string key, std::string label, std::size_t format) {
    return ColumnOf<Operand>{
        {std::move(key), label, CellFormat::fraction, "",
         "Mean share of the tensor's blocks in " + label + ", chosen by the recipe (MoR)"},
        [format](const Operand& o) { return o.share(format); }};
  };
  return {
      {{"layer", "layer", CellFormat::text, "", "Linear layer of the model"},
       [](const Operand& o) { return Cell(o.series.layer); }},
      {kTensor, [](const Operand& o) { return Cell(o.series.tensor); }},
      {kGemm, [](const Operand& o) { return Cell(o.series.gemm); }},
      {kFormat, [](const Operand& o) { return Cell(format_text(o.series.format)); }},
      {snr_column(
           "snr_db", "median SNR",
           "10 log10(sum of x^2 / sum of (x - q)^2) of source x and quantized q: median over "
           "the recorded steps"),
       [](const Operand& o) { return cell_of(o.series.median_snr_db); }},
      {snr_column("lowest_snr_db", "lowest SNR", "Lowest SNR over the recorded steps"),
       [](const Operand& o) { return o.at(o.series.lowest_snr, &TensorNumerics::snr_db); }},
      {{"lowest_snr_step", "at step", CellFormat::count, "", "Step of the lowest SNR, from 0"},
       [](const Operand& o) {
         return o.series.lowest_snr ? Cell(o.record(*o.series.lowest_snr).step) : Cell();
       }},
      {{"underflow", "became zero", CellFormat::fraction, "",
        "Share of the nonzero elements that became zero: largest over the recorded steps"},
       [](const Operand& o) { return o.at(o.series.most_underflow, &TensorNumerics::underflow); }},
      {{"saturated", "saturated", CellFormat::fraction, "",
        "Share of the elements beyond the largest magnitude that the scale can represent: largest "
        "over the recorded steps"},
       [](const Operand& o) { return o.at(o.series.most_saturated, &TensorNumerics::saturated); }},
      {{"first_amax", "first amax", CellFormat::number, "",
        "Largest magnitude of the source in the first recorded step"},
       [](const Operand& o) { return finite(o.record(o.series.records.front()).amax); }},
      {{"last_amax", "last amax", CellFormat::number, "",
        "Largest magnitude of the source in the last recorded step"},
       [](const Operand& o) { return finite(o.record(o.series.records.back()).amax); }},
      {{"largest_amax", "largest amax", CellFormat::number, "",
        "Largest magnitude of the source in any recorded step"},
       [](const Operand& o) { return finite(o.series.largest_amax); }},
      share("e4m3", "E4M3", 0),
      share("e5m2", "E5M2", 1),
      share("bf16", "BF16", 2),
      {{"records", "records", CellFormat::count, "", "Number of records, one per step and rank"},
       [](const Operand& o) { return Cell(static_cast<std::int64_t>(o.series.records.size())); }},
  };
}

std::string group_text(const OperandGroup& group) {
  return group.tensor + " in " + group.gemm + ", " + format_text(group.format);
}

}  // namespace

Column loss_column(std::string key, std::string label, std::string description) {
  return {std::move(key),
          std::move(label),
          CellFormat::number,
          "nat",
          std::move(description),
          false,
          4};
}

Table training_table(const std::vector<kernels::TrainingProgress>& curve) {
  Table table{"training", "Training", {}, {}};
  table.columns = {
      {"steps", "steps", CellFormat::count, "", "Recorded steps"},
      {"tokens", "tokens", CellFormat::count, "", "Tokens trained on"},
      loss_column("first_loss_nats", "first loss", "Loss of the first recorded step"),
      loss_column("final_loss_nats", "final loss", "Mean loss of the last steps"),
      {"final_steps", "of steps", CellFormat::count, "",
       "Number of last steps whose mean is the final loss"},
      loss_column("validation_loss_nats", "validation loss", "Last measured validation loss"),
      {"validation_step", "at step", CellFormat::count, "", "Step of the validation loss, from 0"}};
  const std::optional<FinalLoss> last = final_loss(curve);
  if (!last) return table;
  table.rows.push_back({static_cast<std::int64_t>(curve.size()), last->tokens,
                        finite(curve.front().loss), finite(last->loss),
                        static_cast<std::int64_t>(last->steps), finite(last->validation),
                        last->validation ? Cell(last->validation_step) : Cell()});
  return table;
}

Table losses_table(const std::vector<kernels::TrainingProgress>& curve) {
  Table table{"losses", "Loss by step", {}, {}};
  table.columns = {
      {"step", "step", CellFormat::count, "", "Training step, from 0"},
      loss_column("loss_nats", "loss", "Training loss; -: not finite"),
      loss_column("validation_loss_nats", "validation loss", "-: not measured in this step"),
      {"tokens", "tokens", CellFormat::count, "", "Tokens trained on, up to this step"},
      {"learning_rate", "learning rate", CellFormat::number, "", "Learning rate of this step"},
      {"gradient_norm", "gradient norm", CellFormat::number, "", "Norm of the gradient"}};
  table.chart = Chart{.kind = ChartKind::lines,
                      .label_keys = {"step"},
                      .value_keys = {"loss_nats", "validation_loss_nats"}};
  for (const kernels::TrainingProgress& step : curve) {
    table.rows.push_back({step.step, finite(step.loss), finite(step.validation_loss), step.tokens,
                          finite(step.learning_rate), finite(step.gradient_norm)});
  }
  return table;
}

Table tensors_table(const store::Profile& profile, const std::vector<OperandSeries>& series,
                    std::size_t most) {
  ColumnsOf<Operand> columns = operand_columns();
  // Only recipes that choose among formats have shares.
  if (std::ranges::none_of(series, [](const OperandSeries& s) { return s.shares.has_value(); })) {
    std::erase_if(columns, [](const ColumnOf<Operand>& c) {
      return c.column.key == "e4m3" || c.column.key == "e5m2" || c.column.key == "bf16";
    });
  }
  Table table{"tensors", "Quantized tensors, lowest SNR first", heads(columns), {}};
  for (std::size_t i = 0; i < std::min(most, series.size()); ++i) {
    table.rows.push_back(cells(columns, Operand{profile, series[i]}));
  }
  return table;
}

Table groups_table(const store::Profile& profile, const std::vector<OperandSeries>& series,
                   const std::vector<OperandGroup>& groups) {
  Table table{"groups", "SNR by tensor and GEMM", {}, {}};
  table.columns = {
      kTensor,
      kGemm,
      kFormat,
      {"layers", "layers", CellFormat::count, "", "Layers with this operand"},
      snr_column("snr_db", "median SNR", "Median over layers and recorded steps"),
      {"worst_layer", "worst layer", CellFormat::text, "", "Layer with the lowest SNR"},
      snr_column("worst_snr_db", "its median SNR", "Median SNR of that layer"),
      snr_column("lowest_snr_db", "its lowest SNR", "Lowest SNR of that layer")};
  for (const OperandGroup& group : groups) {
    const Operand worst{profile, series[group.worst()]};
    table.rows.push_back({group.tensor, group.gemm, format_text(group.format),
                          static_cast<std::int64_t>(group.series.size()), group.median_snr_db,
                          worst.series.layer, cell_of(worst.series.median_snr_db),
                          worst.at(worst.series.lowest_snr, &TensorNumerics::snr_db)});
  }
  return table;
}

Table snr_table(const store::Profile& profile, const std::vector<OperandSeries>& series,
                const std::vector<OperandGroup>& groups) {
  Table table{"snr", "SNR by step: median and range over layers", {}, {}};
  table.columns = {
      {"step", "step", CellFormat::count, "", "Training step, from 0"},
      {"operand", "operand", CellFormat::text, "", "Tensor, the GEMM that reads it, and format"},
      snr_column("snr_db", "SNR", "Median over the layers"),
      snr_column("low_db", "lowest", "Lowest SNR of a layer"),
      snr_column("high_db", "highest", "Highest SNR of a layer")};
  table.chart = Chart{.kind = ChartKind::lines,
                      .label_keys = {"step"},
                      .value_keys = {"snr_db"},
                      .part_key = "operand",
                      .low_key = "low_db",
                      .high_key = "high_db"};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const GroupSnr& at : snr_by_step(profile, series, groups[i])) {
      if (i < kMaxLines) table.chart->rows.push_back(table.rows.size());
      table.rows.push_back({at.step, group_text(groups[i]), at.median_db, at.low_db, at.high_db});
    }
  }
  table.chart->selection =
      "the " + std::to_string(kMaxLines) + " kinds of operands with the lowest median SNR";
  return table;
}

}  // namespace mansard::analysis
