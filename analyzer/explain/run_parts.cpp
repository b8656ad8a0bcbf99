// SPDX-License-Identifier: Apache-2.0
#include "analyzer/explain/run_parts.h"

#include <algorithm>
#include <stdexcept>

#include "analyzer/steps/peer_exchange.h"

namespace mansard::analysis {

namespace {

double device_speed_of_light_s(const SpeedOfLight& sol) {
  double sol_s = sol.compute_s;
  for (const auto& [level, time_s] : sol.bandwidth_s) sol_s = std::max(sol_s, time_s);
  return sol_s;
}

}  // namespace

RunParts run_parts(const RunAnalysis& run) {
  const std::vector<DeviceSteps>& devices = named_step_times(run);
  const TypicalStep step = typical_step(run, devices);
  if (step.typical == 0 && step.disturbed > 0) {
    throw std::invalid_argument(
        "counters were read in every step of " + run.profile.file.string() +
        ", so the time of an undisturbed step is unknown; profile more steps, or profile "
        "again without --counters");
  }
  if (step.typical == 0 || !(step.step_s > 0)) {
    throw std::invalid_argument(run.profile.file.string() +
                                " contains no kernels with times, so there is nothing to explain");
  }
  RunParts parts;
  parts.step_s = step.step_s;
  parts.steps = step.typical;
  parts.how = step.how;
  parts.whole = step.whole;
  parts.copies_s = step.memory_s;
  parts.graphs_s = step.graphs_s;
  parts.replica_sync_s = step.replica_sync_s;
  parts.hidden_replica_sync_s = step.hidden_replica_sync_s;
  parts.idle_s = step.idle_by_cause_s;
  for (const auto& [index, of_step] : step.rows) {
    const KernelRow& row = run.rows[index];
    KernelPart part;
    part.row = &row;
    part.index = static_cast<std::size_t>(index);
    if (of_step.replica_sync_s > 0) {
      part.time_s = of_step.replica_sync_s;
      part.launches = of_step.replica_sync_launches;
      parts.replica_sync.push_back(part);
    }
    part.time_s = of_step.time_s - of_step.replica_sync_s;
    part.launches = of_step.launches - of_step.replica_sync_launches;
    if (part.launches == 0 && of_step.replica_sync_launches > 0 && part.time_s == 0) continue;
    if (row.launches > 0) {
      // The values of a row are sums over all of its launches.
      const double share = part.launches / static_cast<double>(row.launches);
      part.flop = row.work.total_flop() * share;
      part.sol_s = device_speed_of_light_s(row.sol) * share;
    }
    if (is_peer_exchange(row)) {
      parts.communication.push_back(part);
    } else if (is_memory_operation(row)) {
      parts.memory.push_back(part);
    } else if (row.operation_class == kGemmClass) {
      parts.gemms.push_back(part);
    } else if (row.operation_class == kCollectiveClass) {
      KernelPart waiting = part;
      waiting.time_s = of_step.rank_wait_s;
      part.time_s -= of_step.rank_wait_s;
      parts.communication.push_back(part);
      if (of_step.rank_wait_s > 0) parts.rank_wait.push_back(waiting);
    } else {
      parts.classes[row.operation_class].push_back(part);
    }
  }
  parts.sm_clock_hz = state_in_typical_steps(run.profile, devices).sm_clock_hz;
  return parts;
}

double total_s(const std::vector<KernelPart>& parts) {
  double sum_s = 0;
  for (const KernelPart& part : parts) sum_s += part.time_s;
  return sum_s;
}

double replica_wait_s(const RunParts& parts) {
  return parts.replica_sync_s - total_s(parts.replica_sync);
}

std::string part_label(const KernelPart& part) {
  const KernelRow& row = *part.row;
  if (is_memory_operation(row)) return row.short_name + ", " + row.shape;
  std::string grid;
  for (const std::int32_t n : row.grid) grid += (grid.empty() ? "" : "x") + std::to_string(n);
  return row.short_name + " <" + grid + ">";
}

}  // namespace mansard::analysis
