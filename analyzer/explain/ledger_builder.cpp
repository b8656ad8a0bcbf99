// SPDX-License-Identifier: Apache-2.0
#include "analyzer/explain/ledger_builder.h"

#include <algorithm>
#include <cmath>

namespace mansard::analysis {

LedgerLine make_line(std::string id, std::string label, std::string meaning,
                     std::vector<LedgerDetail> details, OperationClass operation_class) {
  LedgerLine line;
  line.operation_class = operation_class;
  line.id = std::move(id);
  line.label = std::move(label);
  line.meaning = std::move(meaning);
  line.details = std::move(details);
  for (const LedgerDetail& detail : line.details) line.time_s += detail.adds_s;
  std::stable_sort(line.details.begin(), line.details.end(),
                   [](const LedgerDetail& a, const LedgerDetail& b) {
                     return std::fabs(a.adds_s) > std::fabs(b.adds_s);
                   });
  return line;
}

std::optional<double> measured_s(const std::vector<KernelPart>& parts) {
  if (parts.empty()) return std::nullopt;
  return total_s(parts);
}

LedgerDetail make_detail(std::string label, std::optional<double> baseline_s,
                         std::optional<double> candidate_s, double ratio, double adds_s) {
  LedgerDetail detail;
  detail.label = std::move(label);
  detail.baseline_s = baseline_s;
  if (baseline_s) detail.ideal_s = *baseline_s / ratio;
  detail.candidate_s = candidate_s;
  detail.adds_s = adds_s;
  return detail;
}

KernelDetails::KernelDetails(const std::vector<KernelPart>& baseline,
                             const std::vector<KernelPart>& candidate, double ratio)
    : ratio_(ratio) {
  const auto measure = [&](const std::vector<KernelPart>& parts, auto time_s) {
    for (const KernelPart& part : parts) {
      std::optional<double>& sum_s = sums_[part_label(part)].*time_s;
      sum_s = sum_s.value_or(0) + part.time_s;
    }
  };
  measure(baseline, &Sums::baseline_s);
  measure(candidate, &Sums::candidate_s);
  // Rows are sorted by time, longest first.
  for (const KernelPart& part : candidate) {
    std::optional<std::size_t>& row = sums_[part_label(part)].row;
    row = std::min(row.value_or(part.index), part.index);
  }
}

void KernelDetails::add(const KernelPart& part, double time_s) {
  Sums& sums = sums_[part_label(part)];
  sums.added_s += time_s;
  sums.used = true;
}

void KernelDetails::subtract(const KernelPart& part, double time_s) {
  Sums& sums = sums_[part_label(part)];
  sums.subtracted_s += time_s;
  sums.used = true;
}

std::vector<LedgerDetail> KernelDetails::details() const {
  std::vector<LedgerDetail> details;
  for (const auto& [label, sums] : sums_) {
    if (!sums.used) continue;
    details.push_back(make_detail(label, sums.baseline_s, sums.candidate_s, ratio_,
                                  sums.added_s - sums.subtracted_s));
    details.back().row = sums.row;
  }
  return details;
}

std::vector<LedgerDetail> differences(const std::vector<KernelPart>& baseline,
                                      const std::vector<KernelPart>& candidate, double ratio) {
  KernelDetails details(baseline, candidate, ratio);
  for (const KernelPart& part : baseline) details.subtract(part, part.time_s);
  for (const KernelPart& part : candidate) details.add(part, part.time_s);
  return details.details();
}

}  // namespace mansard::analysis
