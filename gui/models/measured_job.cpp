// SPDX-License-Identifier: Apache-2.0
#include "gui/models/measured_job.h"

#include <algorithm>

#include "support/units.h"

namespace mansard::gui {
namespace {

// Neither a profile nor its summary has these.
constexpr std::int64_t kAssumedGpus = 8;
constexpr double kAssumedParameters = 8e9;
constexpr double kAssumedStep_s = 1;  // of a profile without steps

analysis::TrainedJob on_gpus(std::int64_t gpus) {
  analysis::TrainedJob trained;
  trained.gpus = gpus > 0 ? gpus : kAssumedGpus;
  trained.gpus_source = gpus > 0 ? "measured: ranks of the job" : "assumed: one node";
  trained.parameters = kAssumedParameters;
  trained.parameters_source = "assumed";
  trained.measured = analysis::MeasuredStep{kAssumedStep_s, 0, 0, "assumed: no steps were found"};
  return trained;
}

}  // namespace

analysis::TrainedJob trained_job(const OpenRun& run, int ranks) {
  const auto in_profile = static_cast<int>(run.timeline.ranks.size());
  analysis::TrainedJob trained = on_gpus(std::max(ranks, in_profile));
  trained.name = run.analysis.title;
  const auto device = std::ranges::find_if(run.steps, &analysis::DeviceSteps::has_typical);
  if (device == run.steps.end()) return trained;
  const auto mean_s = [&](std::int64_t sum_ns) {
    return 1e-9 * static_cast<double>(sum_ns) / static_cast<double>(device->typical.size());
  };
  const analysis::TimeParts& parts = device->typical_parts;
  trained.measured = analysis::MeasuredStep{device->mean_step_s(),
                                            mean_s(parts.communication_ns + parts.arrival_ns),
                                            mean_s(parts.communicating_ns), "measured"};
  return trained;
}

analysis::TrainedJob trained_job(const OpenJob& job) {
  const analysis::JobRanks& ranks = job.ranks;
  analysis::TrainedJob trained = on_gpus(ranks.world_size);
  trained.name = ranks.command;
  if (ranks.compared == 0 || !ranks.by_step) return trained;
  const double exposed_s = std::min(ranks.exposed_s, ranks.step_s);
  trained.measured =
      analysis::MeasuredStep{ranks.step_s, exposed_s, exposed_s + ranks.hidden_s, "measured"};
  return trained;
}

}  // namespace mansard::gui
