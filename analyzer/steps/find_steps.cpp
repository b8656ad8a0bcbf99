// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/find_steps.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <stdexcept>
#include <unordered_map>

namespace mansard {

namespace {

std::string_view range_text(const Profile& profile, const NvtxRecord& record) {
  const std::string_view text =
      record.text_id != 0 ? std::string_view(profile.string(record.text_id)) : record.text;
  return text.substr(0, text.find(" | "));  // without what it says of its work
}

// "step 12" and "step 13" are one kind of range: "step #".
std::string without_numbers(std::string_view text) {
  std::string kind;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) {
      kind += c;
    } else if (kind.empty() || kind.back() != '#') {
      kind += '#';
    }
  }
  return kind;
}

// Whether one of its words is a step or an iteration: "train_step", "ProfilerStep#3", "iter 7".
bool speaks_of_steps(std::string_view text) {
  std::string word;
  bool found = false;
  const auto word_ends = [&] {
    found = found || word.ends_with("step") || word == "iteration" || word == "iter";
    if (word == "optimizer") found = false, word = "-";  // a part of a step that is called so too
    const bool part = word == "-";
    word.clear();
    return part;
  };
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (word_ends()) {
      return false;
    }
  }
  return !word_ends() && found;
}

struct Ranges {
  std::string kind;
  std::vector<const NvtxRecord*> ranges;  // by start
  std::int64_t covered_ns = 0;
};

std::int64_t process_of(std::int64_t global_tid) { return global_tid >> 24; }

// Of one thread and kind, none overlapping another; the kind that covers the most time. Of the
// process that uses the device, should the recording hold several.
Ranges step_ranges(const Profile& profile, std::int64_t process, const std::string& range_name) {
  std::map<std::pair<std::int64_t, std::string>, Ranges> kinds;
  std::unordered_map<std::string_view, std::string> kind_of;  // "": no step
  for (const NvtxRecord& record : profile.nvtx) {
    if (record.end_ns < record.start_ns) continue;  // a mark, or still open
    if (record.type != NvtxEventType::push_pop && record.type != NvtxEventType::start_end) continue;
    if (process >= 0 && process_of(record.global_tid) != process) continue;
    const std::string_view text = range_text(profile, record);
    const auto [known, is_new] = kind_of.try_emplace(text);
    if (is_new) {
      const bool wanted = range_name.empty() ? speaks_of_steps(text) : text.starts_with(range_name);
      if (wanted) known->second = range_name.empty() ? without_numbers(text) : range_name;
    }
    if (known->second.empty()) continue;
    Ranges& kind = kinds[{record.global_tid, known->second}];
    if (!kind.ranges.empty() && record.start_ns < kind.ranges.back()->end_ns) continue;  // inside
    kind.kind = known->second;
    kind.ranges.push_back(&record);
    kind.covered_ns += record.end_ns - record.start_ns;
  }
  Ranges most;
  for (auto& [key, kind] : kinds) {
    if (kind.covered_ns > most.covered_ns) most = std::move(kind);
  }
  return most;
}

// When the activity was launched; its own start where no call was recorded.
std::int64_t launch_ns(const DeviceActivity& activity, const LaunchCalls& calls) {
  const ApiRecord* call = calls.find(activity.correlation_id);
  return call != nullptr ? call->start_ns : activity.start_ns;
}

// Steps of ranges on the host: what was launched from the begin of one to the begin of the next.
std::vector<Step> steps_of_ranges(const Profile& profile, const Ranges& ranges,
                                  const std::vector<DeviceActivity>& activities,
                                  const LaunchCalls& calls) {
  const std::size_t count = ranges.ranges.size();
  std::vector<std::int64_t> last_end_ns(count, INT64_MIN);
  std::vector<std::int64_t> first_start_ns(count, INT64_MAX);
  std::int64_t before_ns = INT64_MIN;  // the end of what was launched before the first step
  for (const DeviceActivity& activity : activities) {
    const std::int64_t at_ns = launch_ns(activity, calls);
    const auto after = std::upper_bound(
        ranges.ranges.begin(), ranges.ranges.end(), at_ns,
        [](std::int64_t time_ns, const NvtxRecord* r) { return time_ns < r->start_ns; });
    if (after == ranges.ranges.begin()) {
      before_ns = std::max(before_ns, activity.end_ns);
      continue;
    }
    if (after == ranges.ranges.end() && at_ns > ranges.ranges.back()->end_ns) continue;  // later
    const std::size_t step = static_cast<std::size_t>(after - ranges.ranges.begin()) - 1;
    last_end_ns[step] = std::max(last_end_ns[step], activity.end_ns);
    first_start_ns[step] = std::min(first_start_ns[step], activity.start_ns);
  }
  std::vector<Step> steps;
  std::int64_t now_ns = INT64_MIN;
  for (std::size_t i = 0; i < count; ++i) {
    if (last_end_ns[i] == INT64_MIN) continue;  // it put nothing on this device
    if (steps.empty()) {
      // The device may wait for the first launch of the first step, too.
      now_ns = std::min(std::max(ranges.ranges[i]->start_ns, before_ns),
                        std::max(first_start_ns[i], before_ns));
    }
    if (last_end_ns[i] <= now_ns) continue;  // done before the step before was
    steps.push_back({std::string(range_text(profile, *ranges.ranges[i])), now_ns, last_end_ns[i]});
    now_ns = last_end_ns[i];
  }
  return steps;
}

// The same launch configuration of the same kernel.
std::uint32_t signature(const Profile& profile, const DeviceActivity& activity) {
  if (activity.kind == ActivityKind::copy || activity.kind == ActivityKind::fill) {
    return 0xffffffffu - static_cast<std::uint32_t>(activity.kind);
  }
  const KernelRecord& kernel = profile.kernels[activity.index];
  std::uint64_t hash = static_cast<std::uint64_t>(kernel.demangled_name) * 0x9E3779B97F4A7C15u;
  for (const std::int32_t n : kernel.grid) {
    hash = (hash ^ static_cast<std::uint64_t>(n)) * 0x9E3779B97F4A7C15u;
  }
  return static_cast<std::uint32_t>(hash >> 33);
}

std::vector<Step> steps_by_period(const Profile& profile,
                                  const std::vector<DeviceActivity>& activities) {
  std::vector<std::uint32_t> sequence;
  std::vector<std::int64_t> idle_ns;
  std::vector<std::int64_t> done_ns;  // when all before was
  sequence.reserve(activities.size());
  std::int64_t now_ns = activities.empty() ? 0 : activities.front().start_ns;
  for (const DeviceActivity& activity : activities) {
    sequence.push_back(signature(profile, activity));
    idle_ns.push_back(std::max<std::int64_t>(0, activity.start_ns - now_ns));
    done_ns.push_back(now_ns);
    now_ns = std::max(now_ns, activity.end_ns);
  }
  const std::vector<std::size_t> starts = find_period(sequence, idle_ns);
  std::vector<Step> steps;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    steps.push_back({"period " + std::to_string(i), done_ns[starts[i]], done_ns[starts[i + 1]]});
  }
  return steps;
}

std::int64_t process_on_device(const std::vector<DeviceActivity>& activities,
                               const LaunchCalls& calls) {
  for (const DeviceActivity& activity : activities) {
    const ApiRecord* call = calls.find(activity.correlation_id);
    if (call != nullptr) return process_of(call->global_tid);
  }
  return -1;
}

}  // namespace

Steps find_steps(const Profile& profile, const std::vector<DeviceActivity>& activities,
                 const LaunchCalls& calls, const std::string& range_name) {
  Steps found;
  if (activities.empty()) return found;
  const Ranges ranges = step_ranges(profile, process_on_device(activities, calls), range_name);
  if (ranges.ranges.empty() && !range_name.empty()) {
    throw std::invalid_argument("no range of this recording has a name that begins with '" +
                                range_name + "'");
  }
  found.steps = steps_of_ranges(profile, ranges, activities, calls);
  if (!found.steps.empty()) {
    found.origin = StepOrigin::ranges;
    found.how = "ranges named '" + ranges.kind + "'";
    return found;
  }
  found.steps = steps_by_period(profile, activities);
  if (!found.steps.empty()) {
    found.origin = StepOrigin::period;
    found.how = "found by the order of kernels, which repeats itself";
    return found;
  }
  std::int64_t end_ns = activities.front().end_ns;
  for (const DeviceActivity& activity : activities) end_ns = std::max(end_ns, activity.end_ns);
  found.steps = {{"the whole recording", activities.front().start_ns, end_ns}};
  found.how =
      "no ranges that are called steps, and no order of kernels that repeats itself: the "
      "whole recording is taken for one";
  return found;
}

}  // namespace mansard
