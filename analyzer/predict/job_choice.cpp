// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/job_choice.h"

#include <algorithm>

#include "analyzer/predict/layer_set.h"
#include "analyzer/predict/published_steps.h"

namespace mansard::analysis {
namespace {

// Lists settings that were not given: "global batch 128, tensor 2".
class Inherited {
 public:
  void take(const std::optional<std::int64_t>& given, std::int64_t& value, const char* name) {
    if (given) {
      value = *given;
    } else {
      add(name, std::to_string(value));
    }
  }
  void add(const char* name, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + std::string(name) + " " + value;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

const char* sharding_text(const TrainingJob& job) {
  if (job.fully_sharded) return "full";
  return job.distributed_optimizer ? "optimizer" : "none";
}

void set_sharding(TrainingJob& job, const std::string& sharding) {
  job.fully_sharded = sharding == "full";
  job.distributed_optimizer = sharding != "none";
}

std::string origin_of(const PublishedStep* row, const kernels::TransformerModel& model) {
  if (row == nullptr) return "No published results for " + model.name + "; default settings: ";
  return "Settings taken from published results for " + row->job.model.name + " in " +
         std::string(to_string(row->job.recipe)) + " on " + row->machine + " (" + row->source +
         "): ";
}

// Returns the layers that a published row of the same recipe and source keeps in BF16.
std::string published_keep(const JobRequest& r, kernels::Recipe recipe,
                           const PublishedStep* layout) {
  if (layout == nullptr) return "none";
  const PublishedStep* own = nearest_published(r.model.name, r.machine, recipe);
  return own->job.recipe == recipe && own->source == layout->source ? own->keep_bf16 : "none";
}

}  // namespace

ChosenJob choose_job(const JobRequest& r, kernels::Recipe recipe, kernels::Recipe layout) {
  const PublishedStep* row = nearest_published(r.model.name, r.machine, layout);
  ChosenJob chosen;
  TrainingJob& job = chosen.job;
  if (row != nullptr) job = row->job;
  const TrainingJob published = job;
  job.model = r.model;
  job.recipe = recipe;
  job.cuda_graphs = r.cuda_graphs;

  Inherited inherited;
  inherited.take(r.gpus, job.gpus, "GPUs");
  inherited.take(r.global_batch, job.global_batch, "global batch");
  inherited.take(r.micro_batch, job.micro_batch, "micro-batch");
  inherited.take(r.sequence, job.sequence, "sequence");
  inherited.take(r.tensor, job.tensor, "tensor");
  inherited.take(r.pipeline, job.pipeline, "pipeline");
  if (job.pipeline != published.pipeline) job.virtual_pipeline = 1;
  inherited.take(r.virtual_pipeline, job.virtual_pipeline, "virtual");
  inherited.take(r.context, job.context, "context");
  if (!r.sharding.empty()) {
    set_sharding(job, r.sharding);
  } else {
    if (job.pipeline > 1) job.fully_sharded = false;
    inherited.add("sharding", sharding_text(job));
  }
  const bool same_memory =
      job.pipeline == published.pipeline && job.fully_sharded == published.fully_sharded;
  if (!same_memory) {
    job.offload_layers = 0;
    set_recompute(job, "none");
  }
  inherited.take(r.offload, job.offload_layers, "offload");
  if (r.recompute) {
    set_recompute(job, *r.recompute);
  } else {
    inherited.add("recompute", row != nullptr && same_memory ? row->recompute : "none");
  }

  const bool own_keep = recipe == layout && r.keep_bf16;
  const std::string keep = own_keep ? *r.keep_bf16 : published_keep(r, recipe, row);
  job.keep_bf16 = parse_layer_set(keep, layers_of(r.model).size());
  if (!inherited.text().empty()) chosen.note = origin_of(row, r.model) + inherited.text() + ".";
  if (recipe != kernels::Recipe::bf16) {
    const bool none = std::ranges::find(job.keep_bf16, true) == job.keep_bf16.end();
    if (!chosen.note.empty()) chosen.note += " ";
    chosen.note += none ? "No layers stay in BF16." : "Layers in BF16: " + keep + ".";
  }
  return chosen;
}

}  // namespace mansard::analysis
