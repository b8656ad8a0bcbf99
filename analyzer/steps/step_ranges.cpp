// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/step_ranges.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "analyzer/steps/by_range_name.h"
#include "collector/store/global_ids.h"

namespace mansard::analysis {

namespace {

// Range name without its work annotation.
std::string_view without_work(std::string_view text) { return text.substr(0, text.find(" | ")); }

// Whether a word of the name means step or iteration: "train_step", "ProfilerStep#3", "iter 7".
bool mentions_steps(std::string_view text) {
  bool found = false;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const auto c = static_cast<unsigned char>(i < text.size() ? text[i] : ' ');
    if (std::isalpha(c) != 0) {
      word.push_back(static_cast<char>(std::tolower(c)));
      continue;
    }
    if (word == "optimizer") return false;  // "optimizer step" is only a part of a step
    found = found || word.ends_with("step") || word == "iteration" || word == "iter";
    word.clear();
  }
  return found;
}

}  // namespace

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

std::vector<StepRanges> step_range_kinds(const store::Profile& profile, std::string_view name,
                                         std::int64_t process) {
  std::map<std::pair<std::string, std::int64_t>, StepRanges> found;  // by kind and thread
  ByRangeName<std::string> kind_of(profile, [name](std::string_view text) -> std::string {
    const std::string_view range = without_work(text);
    if (!name.empty()) return range.starts_with(name) ? std::string(name) : std::string();
    return mentions_steps(range) ? without_numbers(range) : std::string();  // not a step
  });
  for (const store::NvtxRecord& record : profile.nvtx) {
    if (record.end_ns < record.start_ns || record.began_earlier) continue;
    if (record.type != store::NvtxEventType::push_pop &&
        record.type != store::NvtxEventType::start_end)
      continue;
    if (process >= 0 && store::process_key(record.global_tid) != process) continue;
    const std::string& kind = kind_of(record);
    if (kind.empty()) continue;
    StepRanges& steps = found[{kind, record.global_tid}];
    // Nested in another.
    if (!steps.ranges.empty() && record.start_ns < steps.ranges.back().end_ns) continue;
    steps.kind = kind;
    steps.global_tid = record.global_tid;
    const std::string_view text = without_work(profile.text(record));
    steps.ranges.push_back({std::string(text), record.start_ns, record.end_ns});
    steps.covered_ns += record.end_ns - record.start_ns;
  }
  std::vector<StepRanges> kinds;
  for (auto& [key, steps] : found) {
    if (kinds.empty() || kinds.back().kind != steps.kind) {
      kinds.push_back(std::move(steps));
    } else if (steps.covered_ns > kinds.back().covered_ns) {
      kinds.back() = std::move(steps);
    }
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const StepRanges& a, const StepRanges& b) {
    return a.covered_ns > b.covered_ns;
  });
  return kinds;
}

StepRanges find_step_ranges(const store::Profile& profile, std::string_view name,
                            std::int64_t process) {
  std::vector<StepRanges> kinds = step_range_kinds(profile, name, process);
  return kinds.empty() ? StepRanges{} : std::move(kinds.front());
}

}  // namespace mansard::analysis
