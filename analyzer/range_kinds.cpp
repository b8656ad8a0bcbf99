// SPDX-License-Identifier: Apache-2.0
#include "analyzer/range_kinds.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "analyzer/activity.h"
#include "analyzer/rows_of_kernels.h"
#include "analyzer/steps/by_range_name.h"
#include "analyzer/steps/kernel_launches.h"
#include "analyzer/steps/step_ranges.h"

namespace mansard {

namespace {

struct OpenRange {
  std::int64_t end_ns;
  std::size_t kind;
};
using Stack = std::vector<OpenRange>;

// Ranges need not nest: one that is over may lie below one that is not.
void drop_ended(Stack& stack, std::int64_t time_ns) {
  std::erase_if(stack, [&](const OpenRange& range) { return range.end_ns <= time_ns; });
}

class Sums {
 public:
  explicit Sums(const RunAnalysis& run) : run_(run), row_of_(rows_of_kernels(run)) {}

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
    const KernelRecord& record = run_.profile.kernels[kernel];
    const KernelRow* row = row_of_[kernel] == kNoRow ? nullptr : &run_.rows[row_of_[kernel]];
    RangeKind& sums = kinds_[kind];
    ++sums.kernels;
    if (row == nullptr || !has_times(record.start_ns, record.end_ns)) return;
    const double time_s = 1e-9 * static_cast<double>(record.end_ns - record.start_ns);
    sums.time_s += time_s;
    if (row->origin == WorkOrigin::none || !(row->time_s > 0)) return;
    sums.known_s += time_s;
    if (record.graph_node_id == 0) ++sums.work.launches;
    const double share = time_s / row->time_s;
    for (const auto& [precision, flop] : row->work.flop) sums.work.flop[precision] += flop * share;
    for (const auto& [level, bytes] : row->work.bytes) sums.work.bytes[level] += bytes * share;
  }

  std::vector<RangeKind> take() {
    std::erase_if(kinds_, [](const RangeKind& kind) { return kind.kernels == 0; });
    for (RangeKind& kind : kinds_) {
      if (run_.machine && kind.known_s > 0) kind.limit = speed_of_light(kind.work, *run_.machine);
    }
    std::stable_sort(kinds_.begin(), kinds_.end(),
                     [](const RangeKind& a, const RangeKind& b) { return a.time_s > b.time_s; });
    return std::move(kinds_);
  }

 private:
  const RunAnalysis& run_;
  std::vector<std::size_t> row_of_;
  std::vector<RangeKind> kinds_;
  std::vector<std::int64_t> last_kernel_;  // by kind
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace

std::vector<RangeKind> range_kinds(const RunAnalysis& run) {
  const Profile& profile = run.profile;
  const std::vector<KernelLaunch> launches = kernel_launches(profile);
  if (launches.empty()) return {};
  Sums sums(run);
  ByRangeName<std::size_t> kind_of(profile, [&](std::string_view text) {
    return sums.kind(without_numbers(text.substr(0, text.find(" | "))));
  });
  std::unordered_map<std::int64_t, Stack> stacks;  // by thread
  std::size_t next = 0;
  const auto open_until = [&](std::int64_t time_ns) {
    for (; next < profile.nvtx.size() && profile.nvtx[next].start_ns <= time_ns; ++next) {
      const NvtxRecord& range = profile.nvtx[next];
      const bool is_range =
          range.type == NvtxEventType::push_pop || range.type == NvtxEventType::start_end;
      if (!is_range || range.end_ns < range.start_ns) continue;
      const std::size_t kind = kind_of(range);
      ++sums[kind].ranges;
      sums[kind].host_s += 1e-9 * static_cast<double>(range.end_ns - range.start_ns);
      Stack& stack = stacks[range.global_tid];
      while (!stack.empty() && stack.back().end_ns <= range.start_ns) stack.pop_back();
      stack.push_back({range.end_ns, kind});
    }
  };
  const auto add_open = [&](std::int64_t global_tid, const KernelLaunch& launch) {
    Stack& stack = stacks[global_tid];
    drop_ended(stack, launch.at_ns);
    for (const OpenRange& range : stack) sums.add(range.kind, launch.kernel);
  };
  std::unordered_map<std::int64_t, std::int64_t> stepping_tids;  // by process
  for (const KernelLaunch& launch : launches) {
    open_until(launch.at_ns);
    add_open(launch.global_tid, launch);
    const std::int64_t process = process_of(launch.global_tid);
    const auto [stepping, is_new] = stepping_tids.try_emplace(process, 0);
    if (is_new) {
      stepping->second = find_step_ranges(profile, run.options.steps_range, process).global_tid;
    }
    if (stepping->second != 0 && stepping->second != launch.global_tid) {
      add_open(stepping->second, launch);
    }
  }
  open_until(std::numeric_limits<std::int64_t>::max());
  return sums.take();
}

}  // namespace mansard
