// SPDX-License-Identifier: Apache-2.0
#include "cli/goodput_options.h"

#include <stdexcept>

#include "cli/command.h"
#include "cli/number_checks.h"

namespace mansard::cli {

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
  option("--recovery", o.recovery_kind,
         "full (all nodes return to the checkpoint) or partial (only the failed node or replica)")
      ->check(CLI::IsMember({"full", "partial"}))
      ->capture_default_str();
  option("--max-lost-samples", o.lost_samples,
         "Partial recovery: share of samples that may be lost, sets the interval; default 0.01")
      ->check(above_zero());
  CLI::Option* shards =
      option("--shards", o.shards,
             "Partial recovery: number of nodes that share the parameters evenly; default: all")
          ->check(above_zero());
  app.add_flag("--replicated", o.replicated,
               "Partial recovery: each data-parallel replica has all parameters, and the others "
               "train on while one recovers, as in 'mansard train --sync'")
      ->group(group)
      ->needs(goodput)
      ->excludes(shards);
  CLI::Option* spares =
      option("--spares", o.spares, "Number of spare nodes; default: always one available")
          ->check(zero_or_more());
  option("--repair-hours", o.repair_h, "Mean time until a failed node is a spare; default 24")
      ->check(zero_or_more())
      ->needs(spares);
  option("--without-spare", o.without_spare_kind,
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
  if (trained.gpus < 1) {
    throw UsageError("--gpus " + std::to_string(trained.gpus) + ": must be 1 or more");
  }
  const bool transfers_given = o.save_s && o.load_s;
  if (!transfers_given && !(trained.parameters > 0)) {
    throw UsageError(
        "--step-s: give --checkpoint-save-s and --checkpoint-load-s too, or the --model whose "
        "checkpoints are saved");
  }
  if (transfers_given && (o.bytes_per_parameter || o.storage_gb_per_s)) {
    throw UsageError(
        "--checkpoint-save-s and --checkpoint-load-s replace --checkpoint-bytes-per-parameter and "
        "--storage-gb-s: give one of the two pairs");
  }
  analysis::GoodputInputs inputs = o;
  inputs.synchronization = o.sync == "foreground" ? analysis::Synchronization::foreground
                                                  : analysis::Synchronization::background;
  inputs.recovery =
      o.recovery_kind == "partial" ? analysis::Recovery::partial : analysis::Recovery::full;
  inputs.without_spare = o.without_spare_kind == "shrink" ? analysis::WithoutSpare::shrink
                                                          : analysis::WithoutSpare::wait;
  try {
    analysis::GoodputStudy study = analysis::goodput_study(inputs, trained);
    if (o.simulate) study.simulation = o.simulation;
    return study;
  } catch (const std::runtime_error& e) {
    throw UsageError(e.what());
  }
}

}  // namespace mansard::cli
