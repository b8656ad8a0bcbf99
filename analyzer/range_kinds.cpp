// SPDX-License-Identifier: Apache-2.0
#include "analyzer/range_kinds.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "analyzer/launch_table.h"
#include "analyzer/steps/by_range_name.h"
#include "analyzer/steps/open_ranges.h"
#include "analyzer/steps/step_ranges.h"

namespace mansard::analysis {

namespace {

class Sums {
 public:
  explicit Sums(const RunAnalysis& run) : run_(run), launches_(launches_of(run)) {}

  std::size_t kind(const std::string& name) {
    const auto [known, is_new] = index_.try_emplace(name, kinds_.size());
    if (is_new) {
      kinds_.emplace_back().name = name;
      last_kernel_.push_back(-1);
    }
    return known->second;
  }
  RangeKind& operator[](std::size_t kind) { return kinds_[kind]; }

  void add(std::size_t kind, std::uint32_t kernel) {
    if (last_kernel_[kind] == kernel) return;
    last_kernel_[kind] = kernel;
    const store::KernelRecord& record = run_.profile.kernels[kernel];
    if (is_disturbed(record.start_ns)) return;
    const std::size_t number = launches_.row(kernel);
    const KernelRow* row = number == kNoRow ? nullptr : &run_.rows[number];
    RangeKind& sums = kinds_[kind];
    ++sums.kernels;
    if (row == nullptr || !store::has_times(record.start_ns, record.end_ns)) return;
    const double time_s = 1e-9 * static_cast<double>(record.end_ns - record.start_ns);
    sums.time_s += time_s;
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

  std::vector<RangeKind> take() {
    std::erase_if(kinds_, [](const RangeKind& kind) { return kind.kernels == 0; });
    for (RangeKind& kind : kinds_) {
      if (run_.machine && kind.known_s > 0) kind.sol = speed_of_light(kind.work, *run_.machine);
    }
    std::stable_sort(kinds_.begin(), kinds_.end(),
                     [](const RangeKind& a, const RangeKind& b) { return a.time_s > b.time_s; });
    return std::move(kinds_);
  }

 private:
  const RunAnalysis& run_;
  const LaunchTable& launches_;
  std::vector<RangeKind> kinds_;
  std::vector<std::int64_t> last_kernel_;  // by kind
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace

std::vector<RangeKind> range_kinds(const RunAnalysis& run) {
  const store::Profile& profile = run.profile;
  const LaunchTable& launches = launches_of(run);
  const std::vector<std::uint32_t> kernels = launches.kernels_in_call_order(profile);
  if (kernels.empty()) return {};
  Sums sums(run);
  ByRangeName<std::size_t> kind_of(profile, [&](std::string_view text) {
    return sums.kind(without_numbers(text.substr(0, text.find(" | "))));
  });
  for (const store::NvtxRecord& range : profile.nvtx) {
    if (!is_whole_range(range) || sums.is_disturbed(range.start_ns)) continue;
    RangeKind& kind = sums[kind_of(range)];
    ++kind.ranges;
    kind.host_s += 1e-9 * static_cast<double>(range.end_ns - range.start_ns);
  }
  OpenRanges open(profile, run.options.step_range);
  for (const std::uint32_t kernel : kernels) {
    const store::ApiRecord call = profile.api_calls[*launches.call(kernel)];
    open.around(call.start_ns, call.global_tid,
                [&](std::size_t range) { sums.add(kind_of(profile.nvtx[range]), kernel); });
  }
  return sums.take();
}

}  // namespace mansard::analysis
