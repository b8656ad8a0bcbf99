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

// XLA names its ranges "Kind:#key=value,...#". Those of compilation, autotuning and single
// operations name the program too; only executions of a whole program have its id.
bool is_of_xla(std::string_view range) {
  const std::size_t colon = range.find(":#");
  return colon != std::string_view::npos && range.ends_with('#') && range.find(' ') > colon;
}

// "jit_step" of the execution of a whole program; otherwise empty.
std::string_view xla_program(std::string_view range) {
  constexpr std::string_view kModule = "hlo_module=";
  const std::size_t at = range.find(kModule);
  if (!range.starts_with("XlaModule:#") || at == std::string_view::npos ||
      range.find("program_id=") == std::string_view::npos) {
    return {};
  }
  const std::string_view name = range.substr(at + kModule.size());
  return name.substr(0, name.find(','));
}

using Kind = std::pair<StepMarker, std::string>;

Kind kind_of(std::string_view range) {
  if (is_of_xla(range)) {
    const std::string_view program = xla_program(range);
    if (program.empty()) return {StepMarker::none, ""};
    return {mentions_steps(program) ? StepMarker::xla_step : StepMarker::xla_program,
            std::string(program)};
  }
  if (range.starts_with("Optimizer.step#")) return {StepMarker::optimizer, std::string(range)};
  const auto contains = [range](std::string_view part) {
    return range.find(part) != std::string_view::npos;
  };
  const bool of_framework =
      (range.starts_with("execute_") && contains("context_")) || contains("run_training_batch");
  if (!of_framework && !mentions_steps(range)) return {StepMarker::none, ""};
  return {StepMarker::named, without_numbers(range)};
}

constexpr std::size_t kMinRepetitions = 3;

// The optimizer ends a step: its ranges become the time since the previous one, or since the
// thread's first range.
void extend_to_steps(StepRanges& steps, const store::Profile& profile) {
  std::int64_t start_ns = steps.ranges.front().start_ns;
  profile.nvtx.for_each([&](std::size_t, const store::NvtxRecord& record) {
    if (record.global_tid == steps.global_tid) start_ns = std::min(start_ns, record.start_ns);
  });
  steps.covered_ns = 0;
  for (std::size_t i = 0; i < steps.ranges.size(); ++i) {
    Step& range = steps.ranges[i];
    range.name = "step " + std::to_string(i);
    range.start_ns = start_ns;
    start_ns = range.end_ns;
    steps.covered_ns += range.duration_ns();
  }
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
  std::map<std::pair<Kind, std::int64_t>, StepRanges> found;  // by kind and thread
  ByRangeName<Kind> kinds_by_name(profile, [name](std::string_view text) -> Kind {
    const std::string_view range = without_work(text);
    if (name.empty()) return kind_of(range);
    return range.starts_with(name) ? Kind{StepMarker::named, name} : Kind{StepMarker::none, ""};
  });
  profile.nvtx.for_each([&](std::size_t, const store::NvtxRecord& record) {
    if (record.end_ns < record.start_ns || record.began_earlier) return;
    if (record.type != store::NvtxEventType::push_pop &&
        record.type != store::NvtxEventType::start_end)
      return;
    if (process >= 0 && store::process_key(record.global_tid) != process) return;
    const Kind& kind = kinds_by_name(record);
    if (kind.first == StepMarker::none) return;
    StepRanges& steps = found[{kind, record.global_tid}];
    // Nested in another.
    if (!steps.ranges.empty() && record.start_ns < steps.ranges.back().end_ns) return;
    steps.kind = kind.second;
    steps.marker = kind.first;
    steps.global_tid = record.global_tid;
    const bool is_program =
        kind.first == StepMarker::xla_step || kind.first == StepMarker::xla_program;
    steps.ranges.push_back({is_program ? kind.second + " " + std::to_string(steps.ranges.size())
                                       : std::string(without_work(profile.text(record))),
                            record.start_ns, record.end_ns});
    steps.covered_ns += record.end_ns - record.start_ns;
  });
  std::vector<StepRanges> kinds;
  for (auto& [key, steps] : found) {
    if (steps.marker != StepMarker::named && steps.ranges.size() < kMinRepetitions) continue;
    if (steps.marker == StepMarker::optimizer) {
      extend_to_steps(steps, profile);
    } else if (steps.marker != StepMarker::named) {
      steps.covered_ns -= steps.ranges.front().duration_ns();
    }
    if (kinds.empty() || kinds.back().kind != steps.kind) {
      kinds.push_back(std::move(steps));
    } else if (steps.covered_ns > kinds.back().covered_ns) {
      kinds.back() = std::move(steps);
    }
  }
  std::stable_sort(kinds.begin(), kinds.end(), [](const StepRanges& a, const StepRanges& b) {
    return a.marker != b.marker ? a.marker < b.marker : a.covered_ns > b.covered_ns;
  });
  return kinds;
}

std::string describe(const StepRanges& ranges) {
  switch (ranges.marker) {
    case StepMarker::xla_step:
    case StepMarker::xla_program:
      return "executions of the XLA program '" + ranges.kind + "'";
    case StepMarker::optimizer:
      return "each ends with '" + ranges.kind + "'";
    case StepMarker::named:
    case StepMarker::none:
      break;
  }
  return "ranges named '" + ranges.kind + "'";
}

StepRanges find_step_ranges(const store::Profile& profile, std::string_view name,
                            std::int64_t process) {
  std::vector<StepRanges> kinds = step_range_kinds(profile, name, process);
  return kinds.empty() ? StepRanges{} : std::move(kinds.front());
}

}  // namespace mansard::analysis
