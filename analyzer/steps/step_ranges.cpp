// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/step_ranges.h"

#include <algorithm>
#include <cctype>
#include <map>
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

struct Kind {
  StepRanges found;
  std::int64_t covered_ns = 0;
};

}  // namespace

StepRanges find_step_ranges(const Profile& profile, std::string_view name, std::int64_t process) {
  std::map<std::pair<std::int64_t, std::string>, Kind> kinds;
  std::unordered_map<std::string_view, std::string> kind_of;  // "": no step
  for (const NvtxRecord& record : profile.nvtx) {
    if (record.end_ns < record.start_ns || record.began_earlier) continue;
    if (record.type != NvtxEventType::push_pop && record.type != NvtxEventType::start_end) continue;
    if (process >= 0 && process_of(record.global_tid) != process) continue;
    const std::string_view text = range_text(profile, record);
    const auto [known, is_new] = kind_of.try_emplace(text);
    if (is_new) {
      if (name.empty()) {
        if (speaks_of_steps(text)) known->second = without_numbers(text);
      } else if (text.starts_with(name)) {
        known->second = name;
      }
    }
    if (known->second.empty()) continue;
    Kind& kind = kinds[{record.global_tid, known->second}];
    std::vector<StepRange>& ranges = kind.found.ranges;
    if (!ranges.empty() && record.start_ns < ranges.back().end_ns) continue;  // inside another
    kind.found.kind = known->second;
    ranges.push_back({std::string(text), record.start_ns, record.end_ns});
    kind.covered_ns += record.end_ns - record.start_ns;
  }
  Kind most;
  for (auto& [key, kind] : kinds) {
    if (kind.covered_ns > most.covered_ns) most = std::move(kind);
  }
  return std::move(most.found);
}

std::optional<std::size_t> step_at(const StepRanges& steps, std::int64_t time_ns) {
  const auto after = std::upper_bound(
      steps.ranges.begin(), steps.ranges.end(), time_ns,
      [](std::int64_t time, const StepRange& step) { return time < step.start_ns; });
  if (after == steps.ranges.begin() || time_ns >= (after - 1)->end_ns) return std::nullopt;
  return static_cast<std::size_t>(after - steps.ranges.begin()) - 1;
}

}  // namespace mansard
