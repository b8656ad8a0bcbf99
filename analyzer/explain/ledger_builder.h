// SPDX-License-Identifier: Apache-2.0
// Putting lines of a ledger together from kernels of two runs.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "analyzer/explain/ledger.h"
#include "analyzer/explain/run_parts.h"

namespace mansard {

// The line's time is what its details add up to, so that the two never differ.
inline LedgerLine make_line(std::string id, std::string label, std::string meaning,
                            std::vector<LedgerDetail> details) {
  LedgerLine line;
  line.id = std::move(id);
  line.label = std::move(label);
  line.meaning = std::move(meaning);
  line.details = std::move(details);
  for (const LedgerDetail& detail : line.details) line.time_s += detail.difference_s;
  std::stable_sort(line.details.begin(), line.details.end(),
                   [](const LedgerDetail& a, const LedgerDetail& b) {
                     return std::fabs(a.difference_s) > std::fabs(b.difference_s);
                   });
  return line;
}

// Candidate less baseline, kernel by kernel.
inline std::vector<LedgerDetail> differences(const std::vector<KernelPart>& baseline,
                                             const std::vector<KernelPart>& candidate) {
  std::map<std::string, LedgerDetail> by_label;
  const auto detail_of = [&](const KernelPart& part) -> LedgerDetail& {
    std::string label = part_label(part);
    LedgerDetail& detail = by_label[label];
    detail.label = std::move(label);
    return detail;
  };
  for (const KernelPart& part : baseline) detail_of(part).baseline_s += part.time_s;
  for (const KernelPart& part : candidate) detail_of(part).candidate_s += part.time_s;
  std::vector<LedgerDetail> details;
  for (auto& [label, detail] : by_label) {
    detail.difference_s = detail.candidate_s - detail.baseline_s;
    details.push_back(std::move(detail));
  }
  return details;
}

}  // namespace mansard
