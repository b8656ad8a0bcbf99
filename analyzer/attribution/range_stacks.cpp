// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/range_stacks.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_set>

#include "analyzer/steps/by_range_name.h"
#include "analyzer/steps/step_ranges.h"
#include "collector/store/global_ids.h"

namespace mansard::analysis {

namespace {

std::int64_t end_of(const store::NvtxRecord& range) {
  return range.end_ns < range.start_ns ? std::numeric_limits<std::int64_t>::max() : range.end_ns;
}

// When captures of CUDA graphs began and ended, by process: one thread may capture what another
// launches.
class CaptureStarts {
 public:
  explicit CaptureStarts(const store::Profile& profile) {
    std::unordered_map<store::StringId, Change> known;
    for (const store::ApiRecord& call : profile.api_calls) {
      const auto [entry, is_new] = known.try_emplace(call.name, Change::none);
      if (is_new) entry->second = change_by(profile.string(call.name));
      if (entry->second == Change::none) continue;
      changes_[store::process_key(call.global_tid)].push_back({call.start_ns, entry->second});
    }
  }

  // The start of the capture that was active at `at_ns`; the smallest time if there was none.
  std::int64_t before(std::int64_t process, std::int64_t at_ns) const {
    constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();
    const auto of_process = changes_.find(process);
    if (of_process == changes_.end()) return kNone;
    const auto after = std::ranges::upper_bound(of_process->second, at_ns, {}, &At::time_ns);
    if (after == of_process->second.begin()) return kNone;
    const At& last = *std::prev(after);
    return last.change == Change::begins ? last.time_ns : kNone;
  }

 private:
  enum class Change : std::uint8_t { none, begins, ends };
  struct At {
    std::int64_t time_ns;
    Change change;
  };
  static Change change_by(std::string_view call) {
    if (call.find("StreamBeginCapture") != std::string_view::npos) return Change::begins;
    if (call.find("StreamEndCapture") != std::string_view::npos) return Change::ends;
    return Change::none;
  }

  std::unordered_map<std::int64_t, std::vector<At>> changes_;  // sorted by time, like the calls
};

}  // namespace

bool is_range(const store::NvtxRecord& record) {
  return record.type == store::NvtxEventType::push_pop ||
         record.type == store::NvtxEventType::start_end;
}

bool is_whole_range(const store::NvtxRecord& record) {
  return is_range(record) && record.end_ns >= record.start_ns;
}

RangeStacks::RangeStacks(const store::Profile& profile, std::string_view step_range)
    : below_(profile.nvtx.size(), -1) {
  struct Open {
    std::int32_t range;
    std::int64_t end_ns;
  };
  std::unordered_map<std::int64_t, std::vector<Open>> stacks;  // by thread
  std::unordered_set<std::int64_t> processes;
  profile.nvtx.for_each([&](std::size_t i, const store::NvtxRecord& range) {
    if (!is_range(range)) return;
    std::vector<Open>& stack = stacks[range.global_tid];
    // A start/end range below the top may have ended too: around() skips it.
    while (!stack.empty() && stack.back().end_ns <= range.start_ns) stack.pop_back();
    if (!stack.empty()) below_[i] = stack.back().range;
    stack.push_back({static_cast<std::int32_t>(i), end_of(range)});
    Thread& thread = threads_[range.global_tid];
    thread.start_ns.push_back(range.start_ns);
    thread.range.push_back(static_cast<std::uint32_t>(i));
    processes.insert(store::process_key(range.global_tid));
  });
  for (const std::int64_t process : processes) {
    const StepRanges steps = find_step_ranges(profile, step_range, process);
    if (!steps.empty()) stepping_.emplace(process, steps.global_tid);
  }
}

void RangeStacks::add_open(const store::Profile& profile, std::int64_t global_tid,
                           std::int64_t at_ns, std::vector<OpenRange>& open) const {
  const auto thread = threads_.find(global_tid);
  if (thread == threads_.end()) return;
  const std::vector<std::int64_t>& starts = thread->second.start_ns;
  const auto after = std::ranges::upper_bound(starts, at_ns);
  if (after == starts.begin()) return;
  const auto last = static_cast<std::size_t>(after - starts.begin()) - 1;
  // All open ranges of this thread were on the stack when its last range started.
  for (auto at = static_cast<std::int32_t>(thread->second.range[last]); at >= 0;
       at = below_[static_cast<std::size_t>(at)]) {
    const auto range = static_cast<std::size_t>(at);
    const store::NvtxRecord& record = profile.nvtx[range];
    if (end_of(record) > at_ns) open.push_back({record.start_ns, end_of(record), range});
  }
}

std::vector<std::size_t> RangeStacks::around(const store::Profile& profile, std::int64_t global_tid,
                                             std::int64_t at_ns) const {
  std::vector<OpenRange> open;
  add_open(profile, global_tid, at_ns, open);
  const auto stepping = stepping_.find(store::process_key(global_tid));
  if (stepping != stepping_.end() && stepping->second != global_tid) {
    add_open(profile, stepping->second, at_ns, open);
  }
  // Profile::nvtx keeps records with equal starts in the order of recording.
  std::ranges::sort(open, {},
                    [](const OpenRange& r) { return std::tuple(r.start_ns, -r.end_ns, r.range); });
  std::vector<std::size_t> stack;
  stack.reserve(open.size());
  for (const OpenRange& r : open) stack.push_back(r.range);
  return stack;
}

LaunchRanges::LaunchRanges(const store::Profile& profile, std::string_view step_range)
    : stacks_(profile, step_range), origins_(profile) {
  if (!origins_->empty()) find_creation_ranges(profile);
}

void LaunchRanges::find_creation_ranges(const store::Profile& profile) {
  const CaptureStarts captures(profile);
  creation_ranges_.resize(profile.graph_nodes.size());
  for (std::size_t node = 0; node < creation_ranges_.size(); ++node) {
    const store::GraphNodeRecord record = profile.graph_nodes[node];
    if (record.original_graph_node_id != 0) continue;
    const std::int64_t since_ns =
        captures.before(store::process_key(record.global_tid), record.start_ns);
    for (const std::size_t range : stacks_.around(profile, record.global_tid, record.start_ns)) {
      if (profile.nvtx[range].start_ns < since_ns) continue;
      creation_ranges_[node].push_back(static_cast<std::uint32_t>(range));
    }
  }
  std::unordered_map<std::string, std::uint32_t> names;
  ByRangeName<std::uint32_t> number_of(profile, [&](std::string_view text) {
    const std::string name = without_numbers(text.substr(0, text.find(" | ")));
    return names.try_emplace(name, static_cast<std::uint32_t>(names.size())).first->second;
  });
  name_without_numbers_.reserve(profile.nvtx.size());
  profile.nvtx.for_each([&](std::size_t, const store::NvtxRecord& range) {
    name_without_numbers_.push_back(is_range(range) ? number_of(range) : 0);
  });
}

void LaunchRanges::add_creation_ranges(std::int64_t graph_node_id, std::int64_t process,
                                       std::vector<std::size_t>& stack) const {
  const auto node = origins_->of(process, graph_node_id);
  if (!node) return;
  const std::size_t around_launch = stack.size();
  for (const std::uint32_t range : creation_ranges_[*node]) {
    const bool known = std::any_of(
        stack.begin(), stack.begin() + static_cast<std::ptrdiff_t>(around_launch),
        [&](std::size_t r) { return name_without_numbers_[r] == name_without_numbers_[range]; });
    if (!known) stack.push_back(range);
  }
}

std::vector<std::size_t> LaunchRanges::around(const store::Profile& profile,
                                              const LaunchTable& launches,
                                              std::size_t launch) const {
  const std::optional<std::size_t> index = launches.call(launch);
  if (!index) return {};
  const store::ApiRecord call = profile.api_calls[*index];
  std::vector<std::size_t> stack = stacks_.around(profile, call.global_tid, call.start_ns);
  if (launches.kind(launch) == LaunchKind::kernel && !creation_ranges_.empty()) {
    const store::KernelRecord& kernel = profile.kernels[launches.record(launch)];
    if (kernel.graph_node_id != 0) {
      add_creation_ranges(kernel.graph_node_id, store::process_key(call.global_tid), stack);
    }
  }
  return stack;
}

bool ended_before(const store::NvtxRecord& range, const store::ApiRecord& launch) {
  return is_whole_range(range) && range.end_ns <= launch.start_ns;
}

std::string_view range_name(const store::Profile& profile, const store::NvtxRecord& range) {
  const std::string_view text = profile.text(range);
  return text.substr(0, text.find(" | "));
}

}  // namespace mansard::analysis
