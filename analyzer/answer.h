// SPDX-License-Identifier: Apache-2.0
// The answer to the first three questions about a run: how long a step takes, how far it is from
// speed of light, and what to change first. Terminal, page and window show it before all else.
#pragma once

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

struct Answer {
  Answer(const RunAnalysis& run, const RunUnit& unit);

  AnswerPart how_long;
  // T / T_sol of the unit: T is its time, idle time included; T_sol is without idle time and
  // potential savings (RunUnit::saving_s()), so that kernels with unknown work count as measured.
  AnswerPart how_far;
  std::vector<Advice> first;  // at most kFirstAdvice, largest potential saving first
};

inline constexpr std::size_t kFirstAdvice = 3;

// Said instead, if there is no advice.
inline constexpr std::string_view kNoIssues = "No issues found in this profile.";

}  // namespace mansard::analysis
