// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/published_steps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <tuple>

#include "analyzer/predict/layer_set.h"
#include "analyzer/predict/predict_data.h"

namespace mansard::analysis {
namespace {

PublishedStep read_row(const CsvTable& t, std::size_t row) {
  PublishedStep step;
  const kernels::TransformerModel* model = kernels::find_transformer_model(t.text(row, "model"));
  const std::optional<kernels::Recipe> recipe = kernels::parse_recipe(t.text(row, "recipe"));
  if (model == nullptr || !recipe) {
    throw std::runtime_error("published_steps.csv: row " + std::to_string(row + 1) +
                             " has an unknown model or recipe");
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
  job.offload_layers = t.integer(row, "offload");
  set_recompute(job, step.recompute);
  return step;
}

// All settings of a job.
auto key_of(const PublishedStep& s) {
  const TrainingJob& j = s.job;
  return std::tuple(j.model.name, s.machine, j.recipe, s.keep_bf16, s.recompute, j.offload_layers,
                    j.gpus, j.global_batch, j.micro_batch, j.sequence, j.fully_sharded, j.tensor,
                    j.pipeline, j.virtual_pipeline, j.context);
}

std::string family_of(kernels::Recipe recipe) {
  switch (recipe) {
    case kernels::Recipe::fp8:
    case kernels::Recipe::fp8_delayed:
    case kernels::Recipe::fp8_block:
      return "FP8";
    case kernels::Recipe::mxfp8:
      return "MXFP8";
    case kernels::Recipe::nvfp4:
      return "NVFP4";
    case kernels::Recipe::bf16:
    case kernels::Recipe::mor_tensor:
    case kernels::Recipe::mor_block:
      break;
  }
  return "BF16";
}

// Sources contain the release: "nemo-24.07".
bool of_2024(const PublishedJob& job) {
  return job.published().source.find("-24.") != std::string::npos;
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
                                       kernels::Recipe recipe) {
  const PublishedStep* nearest = nullptr;
  int best = -1;
  for (const PublishedStep& step : published_steps()) {
    if (step.job.model.name != model || step.use == "doubtful") continue;
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
      throw std::runtime_error("published_steps.csv: unknown machine '" + step.machine + "'");
    }
    all.push_back({&step, predict_step(step.job, *machine, assumptions)});
  }
  return all;
}

double PublishedJob::tokens_per_s_per_gpu() const {
  double sum = 0;
  for (const PublishedComparison* row : rows) sum += row->published->tokens_per_s_per_gpu;
  return sum / static_cast<double>(rows.size());
}

std::vector<PublishedJob> published_jobs(const std::vector<PublishedComparison>& comparisons) {
  std::vector<PublishedJob> jobs;
  for (const PublishedComparison& row : comparisons) {
    if (row.published->use == "doubtful") continue;
    const auto known = std::ranges::find_if(jobs, [&](const PublishedJob& job) {
      return key_of(job.published()) == key_of(*row.published);
    });
    if (known == jobs.end()) {
      jobs.push_back({{&row}});
    } else {
      known->rows.push_back(&row);
    }
  }
  return jobs;
}

std::vector<PublishedStatistics> published_statistics(const std::vector<PublishedJob>& jobs) {
  std::vector<PublishedStatistics> groups;
  const auto add = [&](const std::string& name,
                       const std::function<bool(const PublishedJob&)>& belongs) {
    PublishedStatistics s;
    s.group = name;
    for (const PublishedJob& job : jobs) {
      if (!belongs(job)) continue;
      const double error = job.error();
      ++s.jobs;
      s.mean_error += error;
      s.mean_size += std::fabs(error);
      if (std::fabs(error) > std::fabs(s.largest)) s.largest = error;
      if (std::fabs(error) <= job.sigma()) ++s.within_one_sigma;
    }
    if (s.jobs == 0) return;
    s.mean_error /= s.jobs;
    s.mean_size /= s.jobs;
    groups.push_back(s);
  };
  add("all", [](const PublishedJob&) { return true; });
  for (const char* use : {"set", "listed", "seen", "held-out"}) {
    add(use, [use](const PublishedJob& job) { return job.published().use == use; });
  }
  add("software of 2024", of_2024);
  add("software since 2025", [](const PublishedJob& job) { return !of_2024(job); });
  add("held-out, since 2025",
      [](const PublishedJob& job) { return job.published().use == "held-out" && !of_2024(job); });
  for (const char* family : {"BF16", "FP8", "MXFP8", "NVFP4"}) {
    const auto in_family = [family](const PublishedJob& job) {
      return family_of(job.published().job.recipe) == family;
    };
    add(family, in_family);
    add(std::string(family) + ", context 1", [in_family](const PublishedJob& job) {
      return in_family(job) && job.published().job.context == 1;
    });
    add(std::string(family) + ", context parallel", [in_family](const PublishedJob& job) {
      return in_family(job) && job.published().job.context > 1;
    });
  }
  for (const std::string& machine : target_machine_names()) {
    add(machine,
        [&machine](const PublishedJob& job) { return job.published().machine == machine; });
  }
  return groups;
}

}  // namespace mansard::analysis
