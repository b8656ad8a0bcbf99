// SPDX-License-Identifier: Apache-2.0
#include "analyzer/device_energy.h"

#include <algorithm>
#include <map>

#include "analyzer/steps/disturbed_time.h"
#include "support/statistics.h"

namespace mansard::analysis {

namespace {

// Time in which anything ran on the device, as sorted, disjoint intervals.
std::vector<TimeInterval> busy_intervals(const store::Profile& profile, std::int32_t device_id) {
  std::vector<TimeInterval> all;
  const auto add = [&](const auto& records) {
    for (const auto& r : records) {
      if (r.device_id == device_id && store::has_times(r.start_ns, r.end_ns)) {
        all.push_back({r.start_ns, r.end_ns});
      }
    }
  };
  add(profile.kernels);
  add(profile.memcpys);
  add(profile.memsets);
  add(profile.graphs);
  return merged(std::move(all));
}

// between() must be called with increasing times.
class BusyTime {
 public:
  explicit BusyTime(std::vector<TimeInterval> busy) : busy_(std::move(busy)) {}

  std::int64_t between(std::int64_t begin_ns, std::int64_t end_ns) {
    while (next_ < busy_.size() && busy_[next_].end_ns <= begin_ns) ++next_;
    std::int64_t sum_ns = 0;
    for (std::size_t i = next_; i < busy_.size() && busy_[i].start_ns < end_ns; ++i) {
      sum_ns += std::min(busy_[i].end_ns, end_ns) - std::max(busy_[i].start_ns, begin_ns);
    }
    return sum_ns;
  }

 private:
  std::vector<TimeInterval> busy_;
  std::size_t next_ = 0;
};

std::int64_t longest_interval_ns(const std::vector<const store::DeviceStateSample*>& samples) {
  std::vector<std::int64_t> apart;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    apart.push_back(samples[i]->timestamp_ns - samples[i - 1]->timestamp_ns);
  }
  return static_cast<std::int64_t>(kSamplingPause * median_in_place(apart));
}

}  // namespace

std::vector<DeviceEnergy> device_energy(const store::Profile& profile, std::int64_t begin_ns,
                                        std::int64_t end_ns) {
  std::map<std::int32_t, std::vector<const store::DeviceStateSample*>> samples_of;
  for (const store::DeviceStateSample& s : profile.device_states) {
    if (s.power_w && s.timestamp_ns >= begin_ns && s.timestamp_ns <= end_ns) {
      samples_of[s.device_id].push_back(&s);
    }
  }
  std::vector<DeviceEnergy> all;
  for (const auto& [device_id, samples] : samples_of) {
    if (samples.size() < 2) continue;
    DeviceEnergy& out = all.emplace_back();
    out.device_id = device_id;
    out.samples = samples.size();
    BusyTime busy(busy_intervals(profile, device_id));
    const std::int64_t longest_ns = longest_interval_ns(samples);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      out.power_is_mean = out.power_is_mean || !samples[i]->power_is_instant;
      if (i == 0) continue;
      const std::int64_t from_ns = samples[i - 1]->timestamp_ns;
      const std::int64_t to_ns = samples[i]->timestamp_ns;
      if (to_ns <= from_ns || to_ns - from_ns > longest_ns) continue;
      const double seconds = 1e-9 * static_cast<double>(to_ns - from_ns);
      const double joules = seconds * 0.5 * (*samples[i - 1]->power_w + *samples[i]->power_w);
      const double idle_s = seconds - 1e-9 * static_cast<double>(busy.between(from_ns, to_ns));
      out.covered_s += seconds;
      out.energy_j += joules;
      out.idle_s += idle_s;
      out.idle_energy_j += joules * idle_s / seconds;
    }
  }
  return all;
}

}  // namespace mansard::analysis
