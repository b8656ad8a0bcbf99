// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/work_kinds.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "analyzer/kernel_signature.h"
#include "support/statistics.h"

namespace mansard::analysis {

namespace {

constexpr double kSameAmounts = 0.01;
// Limits the number of rows if amounts vary freely, as with variable sequence lengths.
constexpr std::size_t kMaxKinds = 64;
constexpr double kSameTime = 1.10;  // maximum ratio of median times over steps of the same kind

double difference(double a, double b) {
  const double larger = std::max(a, b);
  return larger > 0 ? std::fabs(a - b) / larger : 0;
}

// The largest relative difference of all amounts.
double difference(const kernels::WorkAnnotation& a, const kernels::WorkAnnotation& b) {
  double most = difference(a.flop, b.flop);
  for (const MemoryLevelInfo& level : kMemoryLevels) {
    const auto in_a = a.bytes.find(level.id);
    const auto in_b = b.bytes.find(level.id);
    most = std::max(most, difference(in_a == a.bytes.end() ? 0 : in_a->second,
                                     in_b == b.bytes.end() ? 0 : in_b->second));
  }
  return most;
}

// The kinds of one signature by annotation.
class Amounts {
 public:
  std::uint16_t kind_of(const kernels::WorkAnnotation& work) {
    // A few annotations occur repeatedly, each at one address.
    const auto [known, is_new] = known_.try_emplace(&work, 0);
    if (!is_new) return known->second;
    std::size_t nearest = 0;
    double least = 2;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const double off = difference(*kinds_[i], work);
      if (off < least) {
        least = off;
        nearest = i;
      }
    }
    if (least > kSameAmounts && kinds_.size() < kMaxKinds) {
      nearest = kinds_.size();
      kinds_.push_back(&work);
    }
    return known->second = static_cast<std::uint16_t>(nearest + 1);
  }

 private:
  std::vector<const kernels::WorkAnnotation*> kinds_;
  std::map<const kernels::WorkAnnotation*, std::uint16_t> known_;
};

// A launch in a step: a kernel record or, without one, a reading.
struct PlacedLaunch {
  std::int64_t start_ns;
  std::size_t index;
  bool is_reading;
};

// Launches of one signature by device and step, ordered by start.
using LaunchesBySteps = std::map<std::pair<std::int32_t, std::size_t>, std::vector<PlacedLaunch>>;

// The kind for each place in a step; empty if the steps differ or all places take the same time.
std::vector<std::uint16_t> kinds_of_places(const store::Profile& profile,
                                           const LaunchesBySteps& launches) {
  std::map<std::size_t, std::size_t> steps_with;  // number of steps by launch count, all recorded
  const auto is_recorded = [](const std::vector<PlacedLaunch>& of_step) {
    return std::none_of(of_step.begin(), of_step.end(),
                        [](const PlacedLaunch& launch) { return launch.is_reading; });
  };
  for (const auto& [step, of_step] : launches) {
    if (is_recorded(of_step)) ++steps_with[of_step.size()];
  }
  if (steps_with.empty()) return {};
  const std::size_t count =
      std::max_element(steps_with.begin(), steps_with.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  if (count < 2) return {};
  std::vector<std::vector<double>> times_ns(count);
  for (const auto& [step, of_step] : launches) {
    if (of_step.size() != count || !is_recorded(of_step)) continue;
    for (std::size_t place = 0; place < count; ++place) {
      const store::KernelRecord& kernel = profile.kernels[of_step[place].index];
      times_ns[place].push_back(static_cast<double>(kernel.end_ns - kernel.start_ns));
    }
  }
  std::vector<std::pair<double, std::size_t>> by_time;  // median and place
  for (std::size_t place = 0; place < count; ++place) {
    by_time.emplace_back(median_in_place(times_ns[place]), place);
  }
  std::sort(by_time.begin(), by_time.end());
  std::vector<std::uint16_t> kinds(count, 1);
  std::uint16_t kind = 1;
  for (std::size_t i = 1; i < count; ++i) {
    if (by_time[i].first > kSameTime * by_time[i - 1].first && kind < kMaxKinds) ++kind;
    kinds[by_time[i].second] = kind;
  }
  return kind == 1 ? std::vector<std::uint16_t>{} : kinds;
}

}  // namespace

WorkKinds::WorkKinds(const store::Profile& profile, const Attribution& attribution,
                     const KernelRules& rules, const std::vector<KernelShare>& shares,
                     const std::vector<Steps>& steps) {
  std::unordered_map<KernelSignature, Amounts, KernelSignatureHash> annotated;
  const auto set = [](std::vector<std::uint16_t>& kinds, std::size_t size, std::size_t index,
                      std::uint16_t kind) {
    if (kinds.empty()) kinds.assign(size, kOne);
    kinds[index] = kind;
  };
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i].range < 0) continue;
    const kernels::WorkAnnotation& work =
        *attribution.ranges[static_cast<std::size_t>(shares[i].range)].work;
    if (!has_amounts(work)) continue;
    set(of_kernel_, profile.kernels.size(), i,
        annotated[signature_of(profile.kernels[i])].kind_of(work));
  }
  if (profile.counter_readings.empty()) return;

  std::map<store::StringId, std::string_view> classes;
  std::set<KernelSignature> read;
  for (std::size_t i = 0; i < profile.counter_readings.size(); ++i) {
    const store::CounterReading& reading = profile.counter_readings[i];
    read.insert(signature_of(reading));
    const std::int32_t range =
        attribution.range_of_reading.empty() ? -1 : attribution.range_of_reading[i];
    if (range < 0) continue;
    const kernels::WorkAnnotation& work = *attribution.ranges[static_cast<std::size_t>(range)].work;
    if (!has_amounts(work)) continue;
    const auto [by_name, is_new] = classes.try_emplace(reading.demangled_name);
    if (is_new) {
      by_name->second = rules.classify(profile.string(reading.demangled_name)).operation_class;
    }
    if (!work.operation_class.empty() && work.operation_class != by_name->second) continue;
    const auto of_signature = annotated.find(signature_of(reading));
    if (of_signature == annotated.end()) continue;
    set(of_reading_, profile.counter_readings.size(), i, of_signature->second.kind_of(work));
  }

  std::map<KernelSignature, LaunchesBySteps> placed;
  for (const Steps& device : steps) {
    if (device.origin == StepOrigin::whole) continue;
    const auto place = [&](const auto& record, std::size_t index, bool is_reading) {
      if (record.device_id != device.device_id) return;
      const KernelSignature signature = signature_of(record);
      if (!read.contains(signature) || annotated.contains(signature)) return;
      const auto step = step_at(device.steps, record.start_ns);
      if (step) {
        placed[signature][{device.device_id, *step}].push_back(
            {record.start_ns, index, is_reading});
      }
    };
    for (std::size_t i = 0; i < profile.kernels.size(); ++i) {
      if (store::has_times(profile.kernels[i].start_ns, profile.kernels[i].end_ns)) {
        place(profile.kernels[i], i, false);
      }
    }
    std::set<const store::CounterReading*> in_run;
    for (const store::CounterReading* reading : readings_in_run(profile)) in_run.insert(reading);
    for (std::size_t i = 0; i < profile.counter_readings.size(); ++i) {
      if (in_run.contains(&profile.counter_readings[i]))
        place(profile.counter_readings[i], i, true);
    }
  }
  for (auto& [signature, launches] : placed) {
    for (auto& [step, of_step] : launches) {
      std::stable_sort(of_step.begin(), of_step.end(),
                       [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    }
    const std::vector<std::uint16_t> kinds = kinds_of_places(profile, launches);
    for (const auto& [step, of_step] : launches) {
      if (of_step.size() != kinds.size()) continue;
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (of_step[i].is_reading) {
          set(of_reading_, profile.counter_readings.size(), of_step[i].index, kinds[i]);
        } else {
          set(of_kernel_, profile.kernels.size(), of_step[i].index, kinds[i]);
        }
      }
    }
  }
  if (of_kernel_.empty()) return;
  // Launches that were read and have a record, too.
  const std::vector<std::optional<std::size_t>> records = records_of_readings(profile);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const store::CounterReading& reading = profile.counter_readings[i];
    if (reading.graph_id != 0 || !records[i] || of_reading(i) != kOne) continue;
    if (signature_of(profile.kernels[*records[i]]) != signature_of(reading)) continue;
    set(of_reading_, records.size(), i, of_kernel_[*records[i]]);
  }
}

}  // namespace mansard::analysis
