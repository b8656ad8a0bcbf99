// SPDX-License-Identifier: Apache-2.0
// A page as text, and what it contains.
#pragma once

#include <string>
#include <string_view>

#include "reports/report.h"

namespace mansard::reports {

inline std::string page_of(analysis::RunAnalysis run) {
  ReportInput input;
  input.runs.push_back(std::move(run));
  return render_html(input);
}

inline std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++n;
  return n;
}

// The text from the first `from` to the next `to`; empty without `from`.
inline std::string between(const std::string& text, std::string_view from, std::string_view to) {
  const std::size_t start = text.find(from);
  if (start == std::string::npos) return {};
  return text.substr(start, text.find(to, start) - start);
}

}  // namespace mansard::reports
