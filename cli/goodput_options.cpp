// SPDX-License-Identifier: Apache-2.0
#include "cli/goodput_options.h"

#include <cstdio>
#include <stdexcept>

#include "analyzer/goodput/checkpoint_interval.h"
#include "analyzer/goodput/expected_goodput.h"
#include "cli/command.h"
#include "cli/number_checks.h"
#include "support/units.h"

namespace mansard::cli {
namespace {

using analysis::duration_text;

constexpr double kHour_s = 3600;
constexpr double kDay_s = 86400;

// "The Llama 3 Herd of Models" (arXiv 2407.21783), 3.3.4: 419 unexpected interruptions of 16,384
// GPUs in 54 days.
constexpr double kLlama3Mtbf_h = 54.0 * 24 * 16384 / 419;
// The same, 3.3.1: storage sustains 2 TB/s, for a job of 2,048 nodes.
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
class Inputs {
 public:
  double take(const char* name, const std::optional<double>& given, double otherwise,
              const std::string& source, const char* unit = "s") {
    const double value = given.value_or(otherwise);
    add(name, number(value, unit), given ? "given" : source);
    return value;
  }
  void add(std::string name, std::string value, std::string source) {
    list_.push_back({std::move(name), std::move(value), std::move(source)});
  }
  std::vector<analysis::GoodputInput> list() { return std::move(list_); }

 private:
  std::vector<analysis::GoodputInput> list_;
};

void take_failures(const GoodputOptions& o, const TrainedJob& trained, analysis::GoodputJob& job,
                   Inputs& inputs) {
  job.gpus = trained.gpus;
  if (job.gpus < 1) throw UsageError("--gpus " + std::to_string(job.gpus) + ": must be 1 or more");
  inputs.add("GPUs", format_whole(job.gpus), "the job");
  job.gpus_per_node = o.gpus_per_node.value_or(trained.grace_host ? 4 : 8);
  if (!o.gpus_per_node) job.gpus_per_node = std::min(job.gpus_per_node, job.gpus);
  inputs.add("GPUs per node", format_whole(job.gpus_per_node),
             o.gpus_per_node ? "given" : "usual for this GPU");
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

void take_step(const GoodputOptions& o, const TrainedJob& trained, analysis::GoodputJob& job,
               Inputs& inputs) {
  const auto data = analysis::StepPart::data;
  double exposed_s = 0;
  double whole_s = 0;
  if (o.step_s) {
    job.compute_s = *o.step_s;
    whole_s = o.sync_exposed_s.value_or(0);
  } else {
    exposed_s = trained.background->part_s(data);
    whole_s = trained.foreground->part_s(data);
    job.compute_s = trained.background->step_s - exposed_s;
  }
  const char* source = o.step_s ? "not given" : "predicted";
  inputs.take("step without synchronization", o.step_s, job.compute_s, "predicted");
  job.foreground_sync_s =
      inputs.take("synchronization per step, foreground", o.sync_s, whole_s, source);
  if (o.sync_s && !o.sync_exposed_s && !o.step_s) exposed_s = std::min(exposed_s, *o.sync_s);
  job.background_sync_s = inputs.take("exposed synchronization per step, background",
                                      o.sync_exposed_s, exposed_s, source);
  job.synchronization = o.sync == "foreground" ? analysis::Synchronization::foreground
                                               : analysis::Synchronization::background;
  inputs.add("synchronization", o.sync, "option --sync");
}

void take_checkpoints(const GoodputOptions& o, const TrainedJob& trained, analysis::GoodputJob& job,
                      Inputs& inputs) {
  double transfer_s = 0;
  std::string source;
  if (!o.save_s || !o.load_s) {
    if (!(trained.parameters > 0)) {
      throw UsageError(
          "--step-s: give --checkpoint-save-s and --checkpoint-load-s too, or the --model whose "
          "checkpoints are saved");
    }
    const double per_parameter =
        inputs.take("checkpoint bytes per parameter", o.bytes_per_parameter, kBytesPerParameter,
                    "BF16 weight, FP32 master weight and two moments", "B");
    const double bytes = per_parameter * trained.parameters;
    inputs.add("checkpoint", format_si(bytes, "B"),
               format_si(trained.parameters, "") + " parameters");
    const double bandwidth =
        1e9 * inputs.take("storage bandwidth of the job", o.storage_gb_per_s,
                          static_cast<double>(job.nodes()) * kStorageOfNode / 1e9,
                          "assumed: 1 GB/s per node, as in arXiv 2407.21783", "GB/s");
    transfer_s = bytes / bandwidth;
    source = "checkpoint / storage bandwidth";
  } else if (o.bytes_per_parameter || o.storage_gb_per_s) {
    throw UsageError(
        "--checkpoint-save-s and --checkpoint-load-s replace --checkpoint-bytes-per-parameter and "
        "--storage-gb-s: give one of the two pairs");
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

void take_recovery(const GoodputOptions& o, const TrainedJob& trained, analysis::GoodputJob& job,
                   Inputs& inputs) {
  job.recovery = o.recovery == "partial" ? analysis::Recovery::partial : analysis::Recovery::full;
  inputs.add("recovery", o.recovery, "option --recovery");
  if (o.lost_samples) job.lost_samples = *o.lost_samples;
  if (o.shards) job.shards = *o.shards;
  if (job.recovery == analysis::Recovery::partial) {
    if (!o.every_s) {
      inputs.add("share of lost samples allowed", format_percent(job.lost_samples),
                 o.lost_samples ? "given" : "assumed");
    }
    inputs.add("parameter shards", format_whole(job.parameter_shards()),
               o.shards ? "given" : "one per node");
  }
  if (!o.spares) {
    inputs.add("spare nodes", "always available", "no --spares given");
    return;
  }
  job.spares = *o.spares;
  inputs.add("spare nodes", format_whole(*o.spares), "given");
  job.repair_s =
      kHour_s * inputs.take("repair time of a node", o.repair_h, kRepair_h, "assumed", "h");
  job.without_spare =
      o.without_spare == "shrink" ? analysis::WithoutSpare::shrink : analysis::WithoutSpare::wait;
  inputs.add("without a spare node", o.without_spare, "option --without-spare");
  if (trained.background && !trained.background->job.fully_sharded) {
    const analysis::TrainingJob& layout = trained.background->job;
    const std::int64_t gpus = layout.tensor * layout.pipeline * layout.context;
    job.replica_nodes = (gpus + job.gpus_per_node - 1) / job.gpus_per_node;
    if (job.without_spare == analysis::WithoutSpare::shrink) {
      inputs.add("nodes per data-parallel replica", format_whole(job.replica_nodes), "the job");
    }
  }
}

void take_length(const GoodputOptions& o, analysis::GoodputJob& job, Inputs& inputs) {
  if (o.steps) {
    job.steps = *o.steps;
    inputs.add("steps", number(*o.steps, ""), "given");
    return;
  }
  const double wall_s = kDay_s * inputs.take("wall time", o.days, kDays, "assumed", "days");
  job.steps = wall_s / job.step_s();
  if (job.steps < 1) {
    throw UsageError("--days " + number(*o.days, "") + " is shorter than a step of " +
                     duration_text(job.step_s()));
  }
  job.steps = analysis::steps_within(job, wall_s);
}

}  // namespace

void declare_goodput(CLI::App& app, GoodputOptions& o) {
  const char* group = "Goodput";
  CLI::Option* goodput =
      app.add_flag("--goodput", o.enabled,
                   "Predict the goodput of a long run: time left for training after failures, "
                   "checkpoints and synchronization")
          ->group(group);
  const auto option = [&](const char* name, auto& value, const char* help) {
    return app.add_option(name, value, help)->group(group)->needs(goodput);
  };
  CLI::Option* days =
      option("--days", o.days, "Wall time of the run in days; default 60")->check(above_zero());
  option("--steps", o.steps, "Number of steps, instead of --days")
      ->check(above_zero())
      ->excludes(days);
  option("--step-s", o.step_s,
         "Step time without synchronization, instead of a predicted one; needs --gpus")
      ->check(above_zero());
  option("--sync", o.sync,
         "Synchronization of gradients and parameters: foreground (nothing overlaps) or "
         "background (beside compute)")
      ->check(CLI::IsMember({"foreground", "background"}))
      ->capture_default_str();
  option("--sync-s", o.sync_s,
         "Synchronization time per step in the foreground; default: predicted")
      ->check(zero_or_more());
  option("--sync-exposed-s", o.sync_exposed_s,
         "Exposed synchronization time per step in the background; default: predicted")
      ->check(zero_or_more());
  CLI::Option* mtbf = option("--mtbf-hours", o.gpu_mtbf_h,
                             "Mean time between failures of one GPU; default 50,700 (Llama 3)")
                          ->check(above_zero());
  option("--node-mtbf-hours", o.node_mtbf_h, "Mean time between failures of one node")
      ->check(above_zero())
      ->excludes(mtbf);
  option("--gpus-per-node", o.gpus_per_node, "GPUs that fail together; default 8, with Grace 4")
      ->check(above_zero());
  option("--checkpoint-save-s", o.save_s,
         "Time for which a save blocks training; default: size / bandwidth")
      ->check(zero_or_more());
  option("--checkpoint-write-s", o.write_s,
         "Time to write the checkpoint in the background, after the blocking part; default 0")
      ->check(zero_or_more());
  option("--checkpoint-load-s", o.load_s, "Time to load a checkpoint; default: size / bandwidth")
      ->check(zero_or_more());
  option("--checkpoint-bytes-per-parameter", o.bytes_per_parameter,
         "Size of a checkpoint; default 14 (BF16 weight, FP32 master weight, two moments)")
      ->check(above_zero());
  option("--storage-gb-s", o.storage_gb_per_s,
         "Storage bandwidth for the whole job in GB/s; default 1 per node")
      ->check(above_zero());
  option("--checkpoint-every-s", o.every_s,
         "Training time between checkpoints; default: the optimum")
      ->check(above_zero());
  option("--detect-s", o.detect_s, "Time until a failure is detected; default 60")
      ->check(zero_or_more());
  option("--restart-s", o.restart_s, "Time to replace a node and start all processes; default 300")
      ->check(zero_or_more());
  option("--recovery", o.recovery,
         "full (all nodes return to the checkpoint) or partial (only the failed node)")
      ->check(CLI::IsMember({"full", "partial"}))
      ->capture_default_str();
  option("--max-lost-samples", o.lost_samples,
         "Partial recovery: share of samples that may be lost, sets the interval; default 0.01")
      ->check(above_zero());
  option("--shards", o.shards,
         "Partial recovery: number of nodes that share the parameters evenly; default: all")
      ->check(above_zero());
  CLI::Option* spares =
      option("--spares", o.spares, "Number of spare nodes; default: always one available")
          ->check(zero_or_more());
  option("--repair-hours", o.repair_h, "Mean time until a failed node is a spare; default 24")
      ->check(zero_or_more())
      ->needs(spares);
  option("--without-spare", o.without_spare,
         "If all spare nodes are in repair: wait, or shrink (continue with fewer replicas)")
      ->check(CLI::IsMember({"wait", "shrink"}))
      ->capture_default_str()
      ->needs(spares);
  CLI::Option* simulate =
      app.add_flag("--simulate", o.simulate, "Simulate the run, and compare the formulas with it")
          ->group(group)
          ->needs(goodput);
  option("--seed", o.simulation.seed, "Seed of the simulation; the same seed gives the same result")
      ->capture_default_str()
      ->needs(simulate);
  option("--replications", o.simulation.replications, "Number of simulated runs")
      ->capture_default_str()
      ->needs(simulate);
  option("--weibull-shape", o.simulation.weibull_shape,
         "Shape of the simulated times between failures of a node; 1: exponential")
      ->check(above_zero())
      ->capture_default_str()
      ->needs(simulate);
}

analysis::GoodputStudy goodput_study(const GoodputOptions& o, const TrainedJob& trained) {
  analysis::GoodputStudy study;
  study.name = trained.name.empty() ? "a job" : trained.name;
  Inputs inputs;
  try {
    take_failures(o, trained, study.job, inputs);
    take_step(o, trained, study.job, inputs);
    take_checkpoints(o, trained, study.job, inputs);
    take_recovery(o, trained, study.job, inputs);
    take_length(o, study.job, inputs);
    analysis::require_valid(study.job);
  } catch (const std::runtime_error& e) {
    throw UsageError(e.what());
  }
  study.inputs = inputs.list();
  study.prediction = trained.background;
  study.machine = trained.machine;
  if (o.simulate) study.simulation = o.simulation;
  return study;
}

}  // namespace mansard::cli
