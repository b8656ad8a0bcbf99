// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "analyzer/launch_table.h"
#include "analyzer/ranks/rank_summary.h"
#include "analyzer/steps/typical_step.h"
#include "collector/merge/collective_ends.h"
#include "support/hash.h"
#include "support/statistics.h"

namespace mansard::analysis {
namespace {

std::int64_t kernels_ns(const TimeParts& parts) {
  std::int64_t sum_ns = 0;
  for (const auto& [name, ns] : parts.class_ns) sum_ns += ns;
  return sum_ns;
}

StepSplit split_of(const TimeParts& parts) {
  StepSplit split;
  split.kernels_ns = kernels_ns(parts);
  const std::int64_t exposed_ns = parts.communication_ns + parts.arrival_ns;
  split.exposed_ns = exposed_ns + parts.replica_sync_ns;
  split.memcpy_ns = parts.copy_ns;
  split.graphs_ns = parts.graph_ns;
  split.idle_ns = parts.idle_total_ns();
  split.hidden_ns = parts.communicating_ns - exposed_ns;
  return split;
}

// Kernel time decides, as one process may use a second GPU for a few memcpys.
const DeviceSteps& main_device(const std::vector<DeviceSteps>& devices) {
  const auto busy_ns = [](const DeviceSteps& device) {
    std::int64_t sum_ns = 0;
    for (const TimeParts& parts : device.parts) sum_ns += kernels_ns(parts);
    return sum_ns;
  };
  return *std::ranges::max_element(devices, {}, busy_ns);
}

void set_steps(const DeviceSteps& device, std::int64_t start_utc_ns, RankSummary& rank) {
  rank.origin = device.origin;
  rank.steps = static_cast<std::int64_t>(device.steps.size());
  rank.typical_steps = static_cast<std::int64_t>(device.typical.size());
  rank.disturbed_steps = static_cast<std::int64_t>(device.disturbed);
  rank.typical = split_of(device.typical_parts);
  while (rank.steps > rank.step_stride * static_cast<std::int64_t>(kMaxRankSteps)) {
    rank.step_stride *= 2;
  }
  std::vector<bool> typical(device.steps.size());
  for (const std::size_t step : device.typical) typical[step] = true;
  std::vector<double> durations_ns;
  for (std::size_t i = 0; i < device.steps.size(); ++i) {
    const Step& step = device.steps[i];
    if (step.readings == 0) durations_ns.push_back(static_cast<double>(step.duration_ns()));
    if (static_cast<std::int64_t>(i) % rank.step_stride != 0) continue;
    RankStep& sample = rank.step_samples.emplace_back();
    static_cast<StepSplit&>(sample) = split_of(device.parts[i]);
    sample.number = static_cast<std::int64_t>(i);
    sample.start_utc_ns = start_utc_ns + step.start_ns;
    sample.end_utc_ns = start_utc_ns + step.end_ns;
    sample.typical = typical[i];
  }
  if (!durations_ns.empty()) {
    rank.step_median_ns = static_cast<std::int64_t>(quantile(durations_ns, 0.5));
    rank.step_p95_ns = static_cast<std::int64_t>(quantile(durations_ns, 0.95));
    rank.step_max_ns = static_cast<std::int64_t>(quantile(durations_ns, 1));
  }
  for (const auto& [name, ns] : device.typical_parts.class_ns) {
    rank.parts.push_back({false, name.name(), ns});
  }
  for (const IdleCauseInfo& cause : idle_cause_infos()) {
    const std::int64_t ns = device.typical_parts.idle_ns[static_cast<std::size_t>(cause.id)];
    if (ns > 0) rank.parts.push_back({true, std::string(cause.key), ns});
  }
}

// The collectives of the device, by name; those of rare names last, then by name, so that all ranks
// keep the same ones.
std::vector<RankCollective> collectives_of(const store::Profile& profile, std::int32_t device_id,
                                           std::unordered_map<store::StringId, std::int64_t>& ids) {
  std::unordered_map<store::StringId, RankCollective> by_name;
  for (const auto& [id, text] : profile.strings) {
    if (collector::ends_together(text)) by_name[id].name = text;
  }
  for (const store::KernelRecord& kernel : profile.kernels) {
    if (kernel.device_id != device_id) continue;
    const auto found = by_name.find(kernel.demangled_name);
    if (found == by_name.end()) continue;
    ++found->second.launches;
    found->second.time_ns += std::max<std::int64_t>(0, kernel.end_ns - kernel.start_ns);
  }
  std::vector<std::pair<store::StringId, RankCollective>> sorted;
  for (auto& [id, collective] : by_name) {
    if (collective.launches > 0) sorted.emplace_back(id, std::move(collective));
  }
  std::ranges::sort(sorted, [](const auto& a, const auto& b) {
    return a.second.launches != b.second.launches ? a.second.launches > b.second.launches
                                                  : a.second.name < b.second.name;
  });
  if (sorted.size() > kMaxCollectiveNames) sorted.resize(kMaxCollectiveNames);
  std::vector<RankCollective> collectives;
  for (auto& [id, collective] : sorted) {
    collective.id = static_cast<std::int64_t>(collectives.size());
    ids[id] = collective.id;
    collectives.push_back(std::move(collective));
  }
  return collectives;
}

// Times in which other kernels than collectives run.
class ComputeTimes {
 public:
  ComputeTimes(const RunAnalysis& run, std::int32_t device_id) {
    const LaunchTable& launches = launches_of(run);
    std::size_t index = 0;
    for (const store::KernelRecord& kernel : run.profile.kernels) {
      const std::size_t row = launches.row(index++);
      if (kernel.device_id != device_id || kernel.end_ns <= kernel.start_ns) continue;
      if (row != kNoRow && run.rows[row].operation_class == kCollectiveClass) continue;
      if (!times_.empty() && kernel.start_ns <= times_.back().second) {
        times_.back().second = std::max(times_.back().second, kernel.end_ns);
      } else {
        times_.emplace_back(kernel.start_ns, kernel.end_ns);
      }
    }
  }

  // The longest time from `start_ns` to `end_ns` without any; empty at the end if there is none.
  std::pair<std::int64_t, std::int64_t> longest_gap(std::int64_t start_ns,
                                                    std::int64_t end_ns) const {
    std::pair<std::int64_t, std::int64_t> longest = {end_ns, end_ns};
    std::int64_t from_ns = start_ns;
    const auto take = [&](std::int64_t to_ns) {
      if (to_ns - from_ns > longest.second - longest.first) longest = {from_ns, to_ns};
    };
    for (auto at = std::ranges::upper_bound(times_, start_ns, {}, &Interval::second);
         at != times_.end() && at->first < end_ns; ++at) {
      take(at->first);
      from_ns = at->second;
    }
    take(end_ns);
    return longest;
  }

 private:
  using Interval = std::pair<std::int64_t, std::int64_t>;
  std::vector<Interval> times_;  // ascending
};

void set_collectives(const RunAnalysis& run, const DeviceSteps& device, RankSummary& rank) {
  const store::Profile& profile = run.profile;
  std::unordered_map<store::StringId, std::int64_t> ids;
  rank.collectives = collectives_of(profile, device.device_id, ids);
  std::vector<std::int64_t> launched(rank.collectives.size());
  std::size_t later = 0;  // samples after the first launches of their name
  const auto is_later = [](const CollectiveSample& s) { return s.launch >= kFirstCollectives; };
  for (const store::KernelRecord& kernel : profile.kernels) {
    if (kernel.device_id != device.device_id) continue;
    const auto id = ids.find(kernel.demangled_name);
    if (id == ids.end()) continue;
    CollectiveSample sample;
    sample.collective = id->second;
    sample.launch = launched[static_cast<std::size_t>(id->second)]++;
    if (is_later(sample) && !is_sampled(sample.launch, rank.sample_level)) continue;
    sample.start_utc_ns = profile.session.start_utc_ns + kernel.start_ns;
    sample.end_utc_ns = profile.session.start_utc_ns + kernel.end_ns;
    sample.typical = typical_step_at(device, kernel.start_ns).has_value();
    later += is_later(sample) ? 1 : 0;
    rank.samples.push_back(sample);
    while (later > kMaxCollectiveSamples) {
      ++rank.sample_level;
      std::erase_if(rank.samples, [&](const CollectiveSample& s) {
        return is_later(s) && !is_sampled(s.launch, rank.sample_level);
      });
      later = static_cast<std::size_t>(std::ranges::count_if(rank.samples, is_later));
    }
  }
  const ComputeTimes compute(run, device.device_id);
  const std::int64_t origin_ns = profile.session.start_utc_ns;
  for (CollectiveSample& sample : rank.samples) {
    const auto [start_ns, end_ns] =
        compute.longest_gap(sample.start_utc_ns - origin_ns, sample.end_utc_ns - origin_ns);
    sample.exposed_start_utc_ns = origin_ns + start_ns;
    sample.exposed_end_utc_ns = origin_ns + end_ns;
  }
  std::ranges::sort(rank.samples, {},
                    [](const CollectiveSample& s) { return std::pair(s.collective, s.launch); });
}

void set_device(const RunAnalysis& run, const std::vector<DeviceSteps>& devices,
                const DeviceSteps& device, RankSummary& rank) {
  const store::Profile& profile = run.profile;
  rank.device_id = device.device_id;
  rank.devices = static_cast<int>(devices.size());
  for (const store::GpuRecord& gpu : profile.gpus) {
    if (gpu.id != device.device_id) continue;
    rank.device = gpu.name;
    rank.device_uuid = gpu.uuid;
  }
  for (const store::KernelRecord& kernel : profile.kernels) {
    rank.kernels += kernel.device_id == device.device_id ? 1 : 0;
  }
  for (const auto& [row, times] : device.rows) {
    if (run.rows[static_cast<std::size_t>(row)].kind == RowKind::kernel) {
      rank.step_launches += static_cast<double>(times.launches);
    }
  }
  if (!device.typical.empty()) rank.step_launches /= static_cast<double>(device.typical.size());
  const StepState state = state_in_typical_steps(profile, {device});
  rank.sm_clock_hz = state.sm_clock_hz;
  rank.power_w = state.power_w;
}

}  // namespace

bool is_sampled(std::int64_t launch, int level) {
  return level <= 0 || splitmix64(static_cast<std::uint64_t>(launch)) >> (64 - level) == 0;
}

RankSummary summarize_rank(const collector::RankHead& head, const RunAnalysis& run,
                           std::string options) {
  const std::vector<DeviceSteps>& devices = named_step_times(run);
  if (devices.empty()) {
    throw std::runtime_error(head.file.string() + ": has no activity of a GPU");
  }
  const DeviceSteps& device = main_device(devices);
  const store::SessionInfo& session = head.session;
  RankSummary rank;
  rank.file = head.file.string();
  rank.options = std::move(options);
  rank.rank = session.rank;
  rank.world_size = head.world_size;
  rank.host = session.host;
  rank.boot = head.boot();
  rank.pid = session.pid;
  rank.command = session.command;
  rank.complete = session.state == store::RecordingState::complete;
  rank.dropped_events = session.dropped_events;
  rank.start_utc_ns = session.start_utc_ns + device.steps.front().start_ns;
  rank.end_utc_ns = session.start_utc_ns + device.steps.back().end_ns;
  set_device(run, devices, device, rank);
  set_steps(device, session.start_utc_ns, rank);
  set_collectives(run, device, rank);
  return rank;
}

}  // namespace mansard::analysis
