// SPDX-License-Identifier: Apache-2.0
#include "analyzer/goodput/goodput_inputs.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "analyzer/goodput/expected_goodput.h"
#include "support/units.h"

namespace mansard::analysis {
namespace {

constexpr double kHour_s = 3600;
constexpr double kDay_s = 86400;

// "The Llama 3 Herd of Models" (arXiv 2407.21783), 3.3.4: 419 unexpected interruptions of 16,384
// GPUs in 54 days.
constexpr double kLlama3Mtbf_h = 54.0 * 24 * 16384 / 419;
// Bytes per second. The same, 3.3.1: storage sustains 2 TB/s, for a job of 2,048 nodes.
constexpr double kStorageOfNode = 1e9;
constexpr double kDays = 60;
constexpr double kRestart_s = 300;
constexpr double kDetect_s = 60;
constexpr double kRepair_h = 24;
// BF16 weight (2), FP32 master weight (4) and two FP32 moments (8).
constexpr double kBytesPerParameter = 14;

std::string number(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.6g%s%s", value, *unit == '\0' ? "" : " ", unit);
  return text;
}

// Collects the values used and where they come from.
class InputList {
 public:
  double take(const char* name, const std::optional<double>& given, double otherwise,
              const std::string& source, const char* unit = "s") {
    const double value = given.value_or(otherwise);
    list_.push_back({name, number(value, unit), given ? "given" : source, value});
    return value;
  }
  void add(std::string name, std::string value, std::string source) {
    list_.push_back({std::move(name), std::move(value), std::move(source), {}});
  }
  void add(std::string name, std::int64_t count, std::string source) {
    list_.push_back(
        {std::move(name), format_whole(count), std::move(source), static_cast<double>(count)});
  }
  void add(std::string name, double value, std::string source) {
    list_.push_back({std::move(name), format_si(value, ""), std::move(source), value});
  }
  std::vector<GoodputInput> list() { return std::move(list_); }

 private:
  std::vector<GoodputInput> list_;
};

void take_failures(const GoodputInputs& o, const TrainedJob& trained, GoodputJob& job,
                   InputList& inputs) {
  job.gpus = o.gpus.value_or(trained.gpus);
  inputs.add("GPUs", job.gpus, o.gpus ? "given" : trained.gpus_source);
  job.gpus_per_node = o.gpus_per_node.value_or(trained.grace_host ? 4 : 8);
  if (!o.gpus_per_node && job.gpus > 0) job.gpus_per_node = std::min(job.gpus_per_node, job.gpus);
  inputs.add("GPUs per node", job.gpus_per_node, o.gpus_per_node ? "given" : "usual for this GPU");
  if (o.node_mtbf_h) {
    job.node_mtbf_s = *o.node_mtbf_h * kHour_s;
    inputs.add("time between failures of a node", number(*o.node_mtbf_h, "h"), "given");
    return;
  }
  const double gpu_mtbf_h =
      inputs.take("time between failures of a GPU", o.gpu_mtbf_h, kLlama3Mtbf_h,
                  "assumed: 419 interruptions of 16,384 GPUs in 54 days (arXiv 2407.21783)", "h");
  job.node_mtbf_s = gpu_mtbf_h * kHour_s / static_cast<double>(job.gpus_per_node);
}

void take_step(const GoodputInputs& o, const TrainedJob& trained, GoodputJob& job,
               InputList& inputs) {
  const auto data = StepPart::data;
  double exposed_s = 0;
  double whole_s = 0;
  std::string source = "predicted";
  if (trained.measured) {
    const MeasuredStep& measured = *trained.measured;
    exposed_s = measured.exposed_s;
    whole_s = std::max(measured.communication_s, o.sync_exposed_s.value_or(0));
    job.compute_s = measured.step_s - exposed_s;
    source = measured.source;
  } else if (trained.background && trained.foreground) {
    exposed_s = trained.background->part_s(data);
    whole_s = trained.foreground->part_s(data);
    job.compute_s = trained.background->step_s - exposed_s;
  } else {
    whole_s = o.sync_exposed_s.value_or(0);
    source = "not given";
  }
  inputs.take("step without synchronization", o.step_s, job.compute_s, source);
  if (o.step_s) job.compute_s = *o.step_s;
  job.foreground_sync_s =
      inputs.take("synchronization per step, foreground", o.sync_s, whole_s, source);
  if (o.sync_s && !o.sync_exposed_s) exposed_s = std::min(exposed_s, *o.sync_s);
  job.background_sync_s = inputs.take("exposed synchronization per step, background",
                                      o.sync_exposed_s, exposed_s, source);
  job.synchronization = o.synchronization;
  inputs.add("synchronization",
             o.synchronization == Synchronization::foreground ? "foreground" : "background",
             "chosen");
}

void take_checkpoints(const GoodputInputs& o, const TrainedJob& trained, GoodputJob& job,
                      InputList& inputs) {
  double transfer_s = 0;
  std::string source;
  if (!o.save_s || !o.load_s) {
    const double parameters = o.parameters.value_or(trained.parameters);
    if (!(parameters > 0)) {
      throw std::runtime_error(
          "give the times of saving and loading a checkpoint, or the number of parameters");
    }
    inputs.add("parameters", parameters, o.parameters ? "given" : trained.parameters_source);
    const double per_parameter =
        inputs.take("checkpoint bytes per parameter", o.bytes_per_parameter, kBytesPerParameter,
                    "BF16 weight, FP32 master weight and two moments", "B");
    const double bytes = per_parameter * parameters;
    inputs.add("checkpoint", format_si(bytes, "B"), "parameters x bytes per parameter");
    const double bandwidth =
        1e9 * inputs.take("storage bandwidth of the job", o.storage_gb_per_s,
                          static_cast<double>(job.nodes()) * kStorageOfNode / 1e9,
                          "assumed: 1 GB/s per node, as in arXiv 2407.21783", "GB/s");
    transfer_s = bytes / bandwidth;
    source = "checkpoint / storage bandwidth";
  }
  job.save_s = inputs.take("blocking save time", o.save_s, transfer_s, source);
  job.write_s = inputs.take("background write time", o.write_s, 0,
                            "not given: the save blocks until written");
  job.load_s = inputs.take("load time", o.load_s, transfer_s, source);
  job.restart_s = inputs.take("restart time", o.restart_s, kRestart_s, "assumed");
  job.detect_s = inputs.take("detection time", o.detect_s, kDetect_s, "assumed");
  job.interval_s = o.every_s;
  if (o.every_s) inputs.add("checkpoint interval", number(*o.every_s, "s"), "given");
}

void take_recovery(const GoodputInputs& o, const TrainedJob& trained, GoodputJob& job,
                   InputList& inputs) {
  job.recovery = o.recovery;
  job.replicated = o.replicated;
  inputs.add("recovery", std::string(recovery_text(job)), "chosen");
  if (trained.background && !trained.background->job.fully_sharded) {
    const TrainingJob& layout = trained.background->job;
    const std::int64_t gpus = layout.tensor * layout.pipeline * layout.context;
    job.replica_nodes = (gpus + job.gpus_per_node - 1) / job.gpus_per_node;
    if (job.others_continue() || o.without_spare == WithoutSpare::shrink) {
      inputs.add("nodes per data-parallel replica", format_whole(job.replica_nodes), "the job");
    }
  }
  if (o.lost_samples) job.lost_samples = *o.lost_samples;
  if (o.shards) job.shards = *o.shards;
  if (job.recovery == Recovery::partial) {
    if (!o.every_s) {
      inputs.add("share of lost samples allowed", format_percent(job.lost_samples),
                 o.lost_samples ? "given" : "assumed");
    }
    if (job.replicated) {
      inputs.add("replicas", format_whole(job.replicas()), "the job");
    } else {
      inputs.add("parameter shards", format_whole(job.parameter_shards()),
                 o.shards ? "given" : "one per node");
    }
  }
  if (!o.spares) {
    inputs.add("spare nodes", "always available", "assumed");
    return;
  }
  job.spares = *o.spares;
  inputs.add("spare nodes", *o.spares, "given");
  job.repair_s =
      kHour_s * inputs.take("repair time of a node", o.repair_h, kRepair_h, "assumed", "h");
  job.without_spare = o.without_spare;
  const bool shrinks = o.without_spare == WithoutSpare::shrink || job.others_continue();
  inputs.add("without a spare node", shrinks ? "shrink" : "wait", "chosen");
}

void take_length(const GoodputInputs& o, GoodputJob& job, InputList& inputs) {
  if (o.steps) {
    job.steps = *o.steps;
    inputs.add("steps", number(*o.steps, ""), "given");
    return;
  }
  const double wall_s = kDay_s * inputs.take("wall time", o.days, kDays, "assumed", "days");
  job.steps = wall_s / job.step_s();
  if (job.steps < 1) {
    throw std::runtime_error("a run of " + number(wall_s / kDay_s, "days") +
                             " is shorter than a step of " + duration_text(job.step_s()));
  }
  job.steps = steps_within(job, wall_s);
}

}  // namespace

GoodputStudy goodput_study(const GoodputInputs& o, const TrainedJob& trained) {
  GoodputStudy study;
  study.name = trained.name.empty() ? "a job" : trained.name;
  InputList inputs;
  take_failures(o, trained, study.job, inputs);
  take_step(o, trained, study.job, inputs);
  take_checkpoints(o, trained, study.job, inputs);
  take_recovery(o, trained, study.job, inputs);
  take_length(o, study.job, inputs);
  require_valid(study.job);
  study.inputs = inputs.list();
  study.prediction = trained.background;
  study.machine = trained.machine;
  return study;
}

}  // namespace mansard::analysis
