// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/counted_work.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/vocabulary/counter_terms.h"
#include "kernels/vocabulary/flop_counters.h"
#include "support/statistics.h"

namespace mansard::analysis {
namespace {

constexpr std::string_view kDuration = "gpu__time_duration.sum";
// Launches with the same shape have equal counts, except for dynamic scheduling of blocks: 2.5 % of
// the L2 sectors in a cuBLASLt FP8 GEMM (H200). Smaller counts vary freely.
constexpr double kSimilarCounts = 1.05;
constexpr double kFewCounts = 1e5;
// Link traffic other than the kernel's own, such as polling by the host.
constexpr double kLinkNoise = 0.01;

struct Readings {
  std::vector<double> values;
  std::vector<double> durations_s;  // of the launches that these were read in

  // The lower median, as waiting and cache misses only increase a count.
  double median() const { return lower_median(values); }
  double per_second() const {
    double sum = 0;
    double time_s = 0;
    for (const double value : values) sum += value;
    for (const double duration_s : durations_s) time_s += duration_s;
    return time_s > 0 ? sum / time_s : 0;
  }
  bool vary() const {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return *most > kSimilarCounts * *least && *most - *least > kFewCounts;
  }
};

using Metrics = std::map<std::string_view, Readings>;

// A metric per launch, or per second if the read launches did different work.
struct Count {
  double value = 0;
  bool per_second = false;
};

bool counts_operations(std::string_view metric) {
  return std::any_of(kFlopCounters.begin(), kFlopCounters.end(),
                     [&](const FlopCounter& counter) { return counter.metric == metric; });
}

// Other counts of the same work depend on the state of the caches.
bool tells_shapes_apart(std::string_view metric) {
  return counts_operations(metric) || metric.starts_with("l1tex__m_") ||
         metric == "lts__t_sectors_srcunit_tex.sum";
}

// The readings of one kind of launch and, for metrics that were not read for it, those of all
// launches with the signature.
class Counts {
 public:
  Counts(const Metrics& of_kind, const Metrics& of_all)
      : of_kind_(of_kind),
        of_all_(of_all),
        kind_varies_(varies(of_kind)),
        all_vary_(&of_kind == &of_all ? kind_varies_ : varies(of_all)) {}

  std::optional<Count> of(std::string_view metric) const {
    if (const auto read = of_kind_.find(metric); read != of_kind_.end()) {
      return count(read->second, kind_varies_);
    }
    const auto read = of_all_.find(metric);
    if (read == of_all_.end()) return std::nullopt;
    return count(read->second, all_vary_);
  }

 private:
  static bool varies(const Metrics& metrics) {
    return std::any_of(metrics.begin(), metrics.end(), [](const auto& metric) {
      return tells_shapes_apart(metric.first) && metric.second.vary();
    });
  }
  static Count count(const Readings& readings, bool vary) {
    return vary ? Count{readings.per_second(), true} : Count{readings.median(), false};
  }

  const Metrics& of_kind_;
  const Metrics& of_all_;
  bool kind_varies_;
  bool all_vary_;
};

// `needed`: the operation metrics that the GPU can count. An incomplete set would be taken for the
// complete count, except that operations of the CUDA cores, which are read at last, are few beside
// those of tensor cores.
void add_flop(const Counts& counts, const std::set<std::string_view>& needed, CountedWork& work) {
  bool all_of_tensor_cores = true;
  bool all = true;
  for (const FlopCounter& counter : kFlopCounters) {
    if (!needed.contains(counter.metric) || counts.of(counter.metric)) continue;
    all = false;
    if (counter.unit == FlopUnit::tensor_core) all_of_tensor_cores = false;
  }
  if (!all_of_tensor_cores) return;
  work.counts_tensor_cores = !needed.empty();
  for (const FlopCounter& counter : kFlopCounters) {
    if (!all && counter.unit != FlopUnit::tensor_core) continue;
    const std::optional<Count> count = counts.of(counter.metric);
    if (!count || !(count->value > 0)) continue;
    (count->per_second ? work.flop_per_s : work.flop)[counter.precision] +=
        counter.flop * count->value;
  }
}

void add_bytes(const Counts& counts, int compute_capability, CountedWork& work) {
  for (const MemoryLevelInfo& level : kMemoryLevels) {
    const auto terms = counter_terms(counter_expression(level.id, compute_capability));
    double bytes = 0;
    double bytes_per_s = 0;
    bool known = !terms.empty();
    for (const CounterTerm& term : terms) {
      const std::optional<Count> count = counts.of(term.metric);
      known = known && count;
      if (!known) break;
      (count->per_second ? bytes_per_s : bytes) += term.factor * count->value;
    }
    if (known && bytes > 0) work.bytes[level.id] = bytes;
    if (known && bytes_per_s > 0) work.bytes_per_s[level.id] = bytes_per_s;
  }
  const auto drop_noise = [](std::map<MemoryLevel, double>& amounts) {
    const auto hbm = amounts.find(MemoryLevel::hbm);
    if (hbm == amounts.end()) return;
    for (const MemoryLevel link : {MemoryLevel::nvlink, MemoryLevel::pcie}) {
      const auto moved = amounts.find(link);
      if (moved != amounts.end() && moved->second < kLinkNoise * hbm->second) amounts.erase(moved);
    }
  };
  drop_noise(work.bytes);
  drop_noise(work.bytes_per_s);
}

// A copy or transpose kernel may compute on a few values at its edges, which does not give the
// precision of its work. The lowest intensity of real arithmetic, one operation per pair of FP64
// operands, is 1/24 FLOP/B.
constexpr double kIncidentalFlopPerByte = 1.0 / 64;

std::map<std::int32_t, int> compute_capabilities(const store::Profile& profile) {
  std::map<std::int32_t, int> of_device;
  for (const store::GpuRecord& gpu : profile.gpus) {
    of_device[gpu.id] = 10 * gpu.compute_major + gpu.compute_minor;
  }
  return of_device;
}

}  // namespace

std::optional<Precision> CountedWork::main_precision() const {
  const bool rates = flop.empty();
  const std::map<Precision, double>& counts = rates ? flop_per_s : flop;
  if (counts.empty()) return std::nullopt;
  double all_flop = 0;
  for (const auto& [precision, count] : counts) all_flop += count;
  const std::map<MemoryLevel, double>& moved = rates ? bytes_per_s : bytes;
  const auto hbm = moved.find(MemoryLevel::hbm);
  if (hbm != moved.end() && all_flop < kIncidentalFlopPerByte * hbm->second) return std::nullopt;
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

CountedWork work_of_graph(const store::Profile& profile,
                          std::span<const store::CounterReading* const> readings) {
  Metrics metrics;
  std::set<std::string_view> operations;
  for (const store::CounterReading* reading : readings) {
    for (const auto& [metric, value] : reading->values) {
      const std::string_view text = profile.string(metric);
      if (counts_operations(text)) operations.insert(text);
      if (std::isfinite(value)) metrics[text].values.push_back(value);
    }
  }
  CountedWork work;
  const Counts counts(metrics, metrics);
  add_flop(counts, operations, work);
  const auto capabilities = compute_capabilities(profile);
  const auto capability = capabilities.find(readings.front()->device_id);
  if (capability != capabilities.end()) add_bytes(counts, capability->second, work);
  return work;
}

CountedWorks::CountedWorks(const store::Profile& profile, const WorkKinds& kinds) {
  struct Read {
    Metrics metrics;
    std::vector<double> durations_s;
    std::int32_t device_id = 0;
  };
  std::map<Key, Read> all;
  std::set<std::string_view> operations;  // operation metrics that the GPU can count
  const std::vector<std::optional<std::size_t>> records = records_of_readings(profile);
  for (std::size_t i = 0; i < profile.counter_readings.size(); ++i) {
    const store::CounterReading& r = profile.counter_readings[i];
    if (r.graph_id != 0) continue;
    // Ranges of counters include the time before and after the kernel.
    double duration_s = 0;
    if (records[i]) {
      const store::KernelRecord& kernel = profile.kernels[*records[i]];
      duration_s = 1e-9 * static_cast<double>(kernel.end_ns - kernel.start_ns);
    }
    for (const auto& [metric, value] : r.values) {
      if (profile.string(metric) == kDuration) duration_s = value * 1e-9;
    }
    const std::uint16_t kind = kinds.of_reading(i);
    const auto add_to = [&](std::uint16_t of_kind) {
      Read& read = all[{signature_of(r), of_kind}];
      read.device_id = r.device_id;
      if (duration_s > 0) read.durations_s.push_back(duration_s);
      for (const auto& [metric, value] : r.values) {
        if (!std::isfinite(value)) continue;
        const std::string_view text = profile.string(metric);
        if (counts_operations(text)) operations.insert(text);
        Readings& readings = read.metrics[text];
        readings.values.push_back(value);
        readings.durations_s.push_back(duration_s);
      }
    };
    add_to(WorkKinds::kOne);
    if (kind != WorkKinds::kOne) add_to(kind);
  }
  const std::map<std::int32_t, int> capabilities = compute_capabilities(profile);
  for (const auto& [key, read] : all) {
    const auto capability = capabilities.find(read.device_id);
    const Counts counts(read.metrics, all.at({key.first, WorkKinds::kOne}).metrics);
    CountedWork& work = works_[key];
    if (!read.durations_s.empty()) work.duration_s = lower_median(read.durations_s);
    add_flop(counts, operations, work);
    if (capability != capabilities.end()) add_bytes(counts, capability->second, work);
  }
}

const CountedWork* CountedWorks::of(const store::KernelRecord& kernel, std::uint16_t kind) const {
  if (works_.empty()) return nullptr;
  auto found = works_.find({signature_of(kernel), kind});
  if (found == works_.end()) found = works_.find({signature_of(kernel), WorkKinds::kOne});
  return found != works_.end() && found->second.has_amounts() ? &found->second : nullptr;
}

}  // namespace mansard::analysis
