// SPDX-License-Identifier: Apache-2.0
// Parses the terms of a counter_expression().
#pragma once

#include <charconv>
#include <string_view>
#include <vector>

namespace mansard {

struct CounterTerm {
  double factor = 1;
  std::string_view metric;
};

// Splits "a.sum + 128 * b.sum" into {1, a.sum}, {128, b.sum}. The views point into `expression`.
inline std::vector<CounterTerm> counter_terms(std::string_view expression) {
  constexpr std::string_view kPlus = " + ";
  constexpr std::string_view kTimes = " * ";
  std::vector<CounterTerm> terms;
  while (!expression.empty()) {
    const std::size_t plus = expression.find(kPlus);
    std::string_view text = expression.substr(0, plus);
    expression = plus == std::string_view::npos ? std::string_view()
                                                : expression.substr(plus + kPlus.size());
    CounterTerm term;
    if (const std::size_t times = text.find(kTimes); times != std::string_view::npos) {
      std::from_chars(text.data(), text.data() + times, term.factor);
      text = text.substr(times + kTimes.size());
    }
    term.metric = text;
    terms.push_back(term);
  }
  return terms;
}

}  // namespace mansard
