// SPDX-License-Identifier: Apache-2.0
// The answer to the first three questions about a run: how long a step takes, how far it is from
// speed of light, and what to change first. Terminal, page and window show it before all else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/advice/advice.h"

namespace mansard::analysis {

struct AnswerPart {
  std::string value;  // "37.9 ms"; empty: not available
  std::string label;  // "per step"
  std::string text;   // the same in sentences, with details; without a value, why
};

// The time of the unit, idle time included, and its time at speed of light: without idle time and
// potential savings (RunUnit::saving_s()), so that kernels with unknown work count as measured.
struct SolDistance {
  double time_s = 0;
  double sol_s = 0;
  // SOL times are known for less than 95 % of the time of kernels and memcpys.
  bool lower_bound = false;
  // Both times are those of the kernels with known SOL time: the time of the unit is not available.
  bool kernels_only = false;

  double slowdown() const { return time_s / sol_s; }
};

struct Answer {
  Answer(const RunAnalysis& run, const RunUnit& unit);

  AnswerPart how_long;
  AnswerPart how_far;                   // the slowdown
  std::optional<SolDistance> distance;  // empty: no SOL time is known
  std::vector<Advice> first;            // at most kFirstAdvice, largest potential saving first
  std::string no_advice;                // shown if `first` is empty
};

inline constexpr std::size_t kFirstAdvice = 3;

// The text that replaces the advice if there is none.
std::string no_advice_text(const RunAnalysis& run);

}  // namespace mansard::analysis
