// SPDX-License-Identifier: Apache-2.0
#include "analyzer/range_kinds.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "analyzer/attribution/range_stacks.h"
#include "analyzer/launch_table.h"
#include "analyzer/steps/by_range_name.h"
#include "analyzer/steps/run_unit.h"
#include "analyzer/steps/step_ranges.h"

namespace mansard::analysis {

namespace {

constexpr std::size_t kNoKernel = std::numeric_limits<std::size_t>::max();

class Sums {
 public:
  Sums(const RunAnalysis& run, const RunUnit& unit)
      : run_(run), launches_(launches_of(run)), unit_(unit) {}

  std::size_t kind(const std::string& name) {
    const auto [known, is_new] = index_.try_emplace(name, kinds_.size());
    if (is_new) {
      kinds_.emplace_back().name = name;
      last_kernel_.push_back(kNoKernel);
    }
    return known->second;
  }
  RangeKind& operator[](std::size_t kind) { return kinds_[kind]; }

  // `in_step`: the kernel is part of a typical step.
  void add(std::size_t kind, std::size_t kernel, bool in_step) {
    if (std::exchange(last_kernel_[kind], kernel) == kernel) return;
    const store::KernelRecord& record = run_.profile.kernels[kernel];
    const std::size_t number = launches_.row(kernel);
    const KernelRow* row = number == kNoRow ? nullptr : &run_.rows[number];
    RangeKind& sums = kinds_[kind];
    ++sums.kernels;
    if (in_step) ++sums.step_kernels;
    if (row == nullptr || !store::has_times(record.start_ns, record.end_ns)) return;
    const double time_s = 1e-9 * static_cast<double>(record.end_ns - record.start_ns);
    sums.time_s += time_s;
    if (in_step) sums.step_time_s += time_s;
    if (row->origin == WorkOrigin::none || !(row->time_s > 0)) return;
    sums.known_s += time_s;
    if (record.graph_node_id == 0) ++sums.work.launches;
    const double share = time_s / row->time_s;
    for (const auto& [precision, flop] : row->work.flop) sums.work.flop[precision] += flop * share;
    for (const auto& [level, bytes] : row->work.bytes) sums.work.bytes[level] += bytes * share;
  }

  bool is_disturbed(std::int64_t time_ns) const {
    return !run_.all_disturbed && run_.disturbed.contains(time_ns);
  }

  // In the order in which kind() first met them.
  std::vector<RangeKind> take() {
    for (RangeKind& kind : kinds_) {
      kind.step_kernels = unit_.per_unit(kind.step_kernels);
      kind.step_time_s = unit_.per_unit(kind.step_time_s);
      if (run_.machine && kind.known_s > 0) kind.sol = speed_of_light(kind.work, *run_.machine);
    }
    return std::move(kinds_);
  }

 private:
  const RunAnalysis& run_;
  const LaunchTable& launches_;
  const RunUnit& unit_;
  std::vector<RangeKind> kinds_;
  std::vector<std::size_t> last_kernel_;  // by kind
  std::unordered_map<std::string, std::size_t> index_;
};

constexpr std::size_t kNoNumber = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kNoCall = std::numeric_limits<std::size_t>::max();

// Places of a range's name in the sums by kind and by full name.
struct NamePlaces {
  std::size_t kind = 0;
  std::size_t numbered = kNoNumber;
};

// Whether `a` precedes `b`, which are equal except for numbers: by value, as "10" follows "9".
bool precedes(const RangeKind& a, const RangeKind& b) {
  return std::pair(a.name.size(), std::string_view(a.name)) <
         std::pair(b.name.size(), std::string_view(b.name));
}

std::vector<RangeKind> layers_of(const std::vector<RangeKind>& kinds,
                                 std::vector<RangeKind> numbered) {
  std::unordered_map<std::string, std::vector<RangeKind>> by_kind;
  for (RangeKind& range : numbered) {
    by_kind[without_numbers(range.name)].push_back(std::move(range));
  }
  std::vector<RangeKind> layers;
  for (const RangeKind& kind : kinds) {
    const auto found = by_kind.find(kind.name);
    if (found == by_kind.end()) continue;
    std::vector<RangeKind>& names = found->second;
    const auto count = static_cast<std::int64_t>(names.size());
    const bool recurs = kind.ranges >= 2 * count;
    if (count < 2 || names.size() > RangeKinds::kMostNumbers || !recurs) continue;
    const auto [shortest, longest] = std::minmax_element(
        names.begin(), names.end(),
        [](const RangeKind& a, const RangeKind& b) { return a.time_s < b.time_s; });
    if (longest->time_s <= (1 + RangeKinds::kAlike) * shortest->time_s) continue;
    std::sort(names.begin(), names.end(), precedes);
    std::move(names.begin(), names.end(), std::back_inserter(layers));
  }
  return layers;
}

}  // namespace

RangeKinds range_kinds(const RunAnalysis& run) {
  const store::Profile& profile = run.profile;
  if (profile.kernels.empty()) return {};
  const LaunchTable& launches = launches_of(run);
  const RunUnit unit(run);
  Sums kinds(run, unit), numbered(run, unit);
  ByRangeName<NamePlaces> places_of(profile, [&](std::string_view text) {
    const std::string name(text.substr(0, text.find(" | ")));
    const std::string kind = without_numbers(name);
    return NamePlaces{kinds.kind(kind), kind == name ? kNoNumber : numbered.kind(name)};
  });
  const auto count = [](RangeKind& kind, const store::NvtxRecord& range) {
    ++kind.ranges;
    kind.host_s += 1e-9 * static_cast<double>(range.end_ns - range.start_ns);
  };
  profile.nvtx.for_each([&](std::size_t, const store::NvtxRecord& range) {
    if (!is_whole_range(range) || kinds.is_disturbed(range.start_ns)) return;
    const NamePlaces places = places_of(range);
    count(kinds[places.kind], range);
    if (places.numbered != kNoNumber) count(numbered[places.numbered], range);
  });
  const LaunchRanges ranges(profile, run.options.step_range);
  std::vector<std::size_t> last_call(profile.nvtx.size(), kNoCall);
  for (const std::size_t kernel : launches.in_call_order()) {
    if (launches.kind(kernel) != LaunchKind::kernel) continue;
    const std::vector<std::size_t> stack = ranges.around(profile, launches, kernel);
    if (stack.empty() || kinds.is_disturbed(profile.kernels[kernel].start_ns)) continue;
    const store::KernelRecord& record = profile.kernels[kernel];
    const bool in_step = unit.name() == "step" && unit.counts(record.device_id, record.start_ns);
    const std::size_t call = *launches.call(kernel);
    const store::ApiRecord launch = profile.api_calls[call];
    for (const std::size_t i : stack) {
      const store::NvtxRecord& range = profile.nvtx[i];
      if (!is_whole_range(range)) continue;
      const NamePlaces places = places_of(range);
      const bool is_numbered = places.numbered != kNoNumber;
      kinds.add(places.kind, kernel, in_step);
      if (is_numbered) numbered.add(places.numbered, kernel, in_step);
      // A range in which nodes of a CUDA graph were created counts once per launch of the graph;
      // its first launch is counted already, as the range itself.
      if (!ended_before(range, launch)) continue;
      const std::size_t previous = std::exchange(last_call[i], call);
      if (previous == kNoCall || previous == call) continue;
      ++kinds[places.kind].ranges;
      if (is_numbered) ++numbered[places.numbered].ranges;
    }
  }
  RangeKinds found{kinds.take(), {}};
  std::erase_if(found.kinds, [](const RangeKind& kind) { return kind.kernels == 0; });
  std::stable_sort(found.kinds.begin(), found.kinds.end(),
                   [](const RangeKind& a, const RangeKind& b) {
                     return std::pair(a.step_time_s, a.time_s) > std::pair(b.step_time_s, b.time_s);
                   });
  found.numbered = layers_of(found.kinds, numbered.take());
  return found;
}

}  // namespace mansard::analysis
