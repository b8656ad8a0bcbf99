// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/counted_work.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/vocabulary/counter_terms.h"
#include "kernels/vocabulary/flop_counters.h"

namespace mansard {
namespace {

constexpr std::string_view kDuration = "gpu__time_duration.sum";
// Launches of one shape count alike but for blocks that take work as they come: 2.5 % of the L2's
// sectors in a cuBLASLt FP8 GEMM (H200). Fewer counts than these vary freely.
constexpr double kAlike = 1.05;
constexpr double kFewCounts = 1e5;
// What a link carries besides the kernel's own traffic, such as the host's polling.
constexpr double kLinkNoise = 0.01;

struct Readings {
  std::vector<double> values;
  std::vector<double> durations_s;  // of the launches that these were read in

  // The lower of two in the middle: a launch that waited or missed caches counts more.
  double median() const {
    std::vector<double> sorted = values;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }
  double per_second() const {
    double sum = 0;
    double time_s = 0;
    for (const double value : values) sum += value;
    for (const double duration_s : durations_s) time_s += duration_s;
    return time_s > 0 ? sum / time_s : 0;
  }
  bool vary() const {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return *most > kAlike * *least && *most - *least > kFewCounts;
  }
};

using Metrics = std::map<std::string_view, Readings>;

bool counts_operations(std::string_view metric) {
  return std::any_of(kFlopCounters.begin(), kFlopCounters.end(),
                     [&](const FlopCounter& counter) { return counter.metric == metric; });
}

// The other counts of the same work depend on what the caches held.
bool tells_shapes_apart(std::string_view metric) {
  return counts_operations(metric) || metric.starts_with("l1tex__m_") ||
         metric == "lts__t_sectors_srcunit_tex.sum";
}

void add_flop(const Metrics& metrics, const std::set<std::string_view>& needed, CountedWork& work) {
  // Half of them would be taken for all.
  for (const std::string_view metric : needed) {
    if (!metrics.contains(metric)) return;
  }
  for (const FlopCounter& counter : kFlopCounters) {
    const auto read = metrics.find(counter.metric);
    if (read == metrics.end()) continue;
    const double count = work.varies ? read->second.per_second() : read->second.median();
    if (count > 0) work.flop[counter.precision] += counter.flop * count;
  }
}

void add_bytes(const Metrics& metrics, int compute_capability, CountedWork& work) {
  for (const MemoryLevelInfo& level : kMemoryLevels) {
    const auto terms = counter_terms(counter_expression(level.id, compute_capability));
    double bytes = 0;
    bool known = !terms.empty();
    for (const CounterTerm& term : terms) {
      const auto read = metrics.find(term.metric);
      known = known && read != metrics.end();
      if (!known) break;
      bytes += term.factor * (work.varies ? read->second.per_second() : read->second.median());
    }
    if (known && bytes > 0) work.bytes[level.id] = bytes;
  }
  const auto hbm = work.bytes.find(MemoryLevel::hbm);
  if (hbm == work.bytes.end()) return;
  for (const MemoryLevel link : {MemoryLevel::nvlink, MemoryLevel::pcie}) {
    const auto moved = work.bytes.find(link);
    if (moved != work.bytes.end() && moved->second < kLinkNoise * hbm->second) {
      work.bytes.erase(moved);
    }
  }
}

// A kernel that copies or transposes may compute on a few numbers at its edges; that is not the
// precision of its work. The leanest arithmetic, one operation on each pair of FP64 operands, is
// 1/24 FLOP/B.
constexpr double kIncidentalFlopPerByte = 1.0 / 64;

std::map<std::int32_t, int> compute_capabilities(const Profile& profile) {
  std::map<std::int32_t, int> of_device;
  for (const GpuRecord& gpu : profile.gpus) {
    of_device[gpu.id] = 10 * gpu.compute_major + gpu.compute_minor;
  }
  return of_device;
}

}  // namespace

std::optional<Precision> CountedWork::main_precision() const {
  if (flop.empty()) return std::nullopt;
  double all_flop = 0;
  for (const auto& [precision, count] : flop) all_flop += count;
  const auto hbm = bytes.find(MemoryLevel::hbm);
  if (hbm != bytes.end() && all_flop < kIncidentalFlopPerByte * hbm->second) return std::nullopt;
  return std::max_element(flop.begin(), flop.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

CountedWorks::CountedWorks(const Profile& profile) {
  struct Read {
    Metrics metrics;
    std::int32_t device_id = 0;
    int launches = 0;
  };
  std::map<Key, Read> all;
  std::set<std::string_view> operations;  // what the GPU can count of them
  for (const CounterReading& r : profile.counter_readings) {
    const StringId name = r.mangled_name != 0 ? r.mangled_name : r.demangled_name;
    Read& read = all[{name, r.grid, r.block, r.dynamic_shared_bytes}];
    read.device_id = r.device_id;
    ++read.launches;
    double duration_s = 0;
    for (const auto& [metric, value] : r.values) {
      if (profile.string(metric) == kDuration) duration_s = value * 1e-9;
    }
    for (const auto& [metric, value] : r.values) {
      if (!std::isfinite(value)) continue;
      const std::string_view text = profile.string(metric);
      if (counts_operations(text)) operations.insert(text);
      Readings& readings = read.metrics[text];
      readings.values.push_back(value);
      readings.durations_s.push_back(duration_s);
    }
  }
  const std::map<std::int32_t, int> capabilities = compute_capabilities(profile);
  for (const auto& [key, read] : all) {
    const auto capability = capabilities.find(read.device_id);
    CountedWork& work = works_[key];
    work.launches_read = read.launches;
    work.varies = std::any_of(read.metrics.begin(), read.metrics.end(), [](const auto& metric) {
      return tells_shapes_apart(metric.first) && metric.second.vary();
    });
    add_flop(read.metrics, operations, work);
    if (capability != capabilities.end()) add_bytes(read.metrics, capability->second, work);
  }
}

const CountedWork* CountedWorks::of(const KernelRecord& kernel) const {
  if (works_.empty()) return nullptr;
  const StringId name = kernel.mangled_name != 0 ? kernel.mangled_name : kernel.demangled_name;
  const auto found = works_.find({name, kernel.grid, kernel.block, kernel.dynamic_shared_bytes});
  return found != works_.end() && found->second.has_amounts() ? &found->second : nullptr;
}

}  // namespace mansard
