// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/published_steps.h"

#include <stdexcept>

#include "analyzer/predict/csv_table.h"
#include "analyzer/predict/layer_set.h"

namespace mansard {
namespace {

PublishedStep read_row(const CsvTable& t, std::size_t row) {
  PublishedStep step;
  const TransformerModel* model = find_transformer_model(t.text(row, "model"));
  const std::optional<Recipe> recipe = parse_recipe(t.text(row, "recipe"));
  if (model == nullptr || !recipe) {
    throw std::runtime_error("published_steps.csv: row " + std::to_string(row + 1) +
                             " names an unknown model or recipe");
  }
  step.machine = t.text(row, "machine");
  step.keep_bf16 = t.text(row, "keep_bf16");
  step.recompute = t.text(row, "recompute");
  step.use = t.text(row, "use");
  step.source = t.text(row, "source");
  step.tokens_per_s_per_gpu = t.number(row, "tokens_per_s_per_gpu");
  TrainingJob& job = step.job;
  job.model = *model;
  job.recipe = *recipe;
  job.keep_bf16 = parse_layer_set(step.keep_bf16, layers_of(*model).size());
  job.gpus = t.integer(row, "gpus");
  job.global_batch = t.integer(row, "global_batch");
  job.micro_batch = t.integer(row, "micro_batch");
  job.sequence = t.integer(row, "sequence");
  job.tensor = t.integer(row, "tp");
  job.pipeline = t.integer(row, "pp");
  job.virtual_pipeline = t.integer(row, "vp");
  job.context = t.integer(row, "cp");
  job.fully_sharded = t.integer(row, "fsdp") != 0;
  set_recompute(job, step.recompute);
  return step;
}

}  // namespace

const std::vector<PublishedStep>& published_steps() {
  static const std::vector<PublishedStep> steps = [] {
    const CsvTable table = predict_data("published_steps.csv");
    std::vector<PublishedStep> all;
    for (std::size_t row = 0; row < table.rows(); ++row) all.push_back(read_row(table, row));
    return all;
  }();
  return steps;
}

const PublishedStep* nearest_published(const std::string& model, const std::string& machine,
                                       Recipe recipe) {
  const PublishedStep* nearest = nullptr;
  int best = -1;
  for (const PublishedStep& step : published_steps()) {
    if (step.job.model.name != model) continue;
    const int likeness =
        2 * static_cast<int>(step.machine == machine) + static_cast<int>(step.job.recipe == recipe);
    if (likeness > best) {
      best = likeness;
      nearest = &step;
    }
  }
  return nearest;
}

std::vector<PublishedComparison> compare_with_published(const Assumptions& assumptions) {
  std::vector<PublishedComparison> all;
  for (const PublishedStep& step : published_steps()) {
    const std::optional<TargetMachine> machine = find_target_machine(step.machine);
    if (!machine) {
      throw std::runtime_error("published_steps.csv: no machine '" + step.machine + "'");
    }
    all.push_back({&step, predict_step(step.job, *machine, assumptions)});
  }
  return all;
}

}  // namespace mansard
