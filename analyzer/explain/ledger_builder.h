// SPDX-License-Identifier: Apache-2.0
// Builds the lines of a ledger from the kernels of one or two runs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/explain/ledger.h"
#include "analyzer/explain/run_parts.h"

namespace mansard::analysis {

// Returns a line whose time is the sum of its details.
LedgerLine make_line(std::string id, std::string label, std::string meaning,
                     std::vector<LedgerDetail> details, OperationClass operation_class = {});

// Total time; std::nullopt if `parts` is empty.
std::optional<double> measured_s(const std::vector<KernelPart>& parts);

// Returns a detail with ideal = baseline / ratio.
LedgerDetail make_detail(std::string label, std::optional<double> baseline_s,
                         std::optional<double> candidate_s, double ratio, double adds_s);

// Details of a line, one per kernel (part_label). Even if a line contains only part of a kernel's
// time, baseline_s and candidate_s are the full measured times of that kernel.
class KernelDetails {
 public:
  KernelDetails(const std::vector<KernelPart>& baseline, const std::vector<KernelPart>& candidate,
                double ratio);
  // For each kernel, adds_s = sum of add() - sum of subtract().
  void add(const KernelPart& part, double time_s);
  void subtract(const KernelPart& part, double time_s);
  std::vector<LedgerDetail> details() const;

 private:
  struct Sums {
    std::optional<double> baseline_s;
    std::optional<double> candidate_s;
    double added_s = 0;
    double subtracted_s = 0;
    bool used = false;
    std::optional<std::size_t> row;  // candidate's row with most time
  };
  std::map<std::string, Sums> sums_;
  double ratio_;
};

// Returns candidate - baseline for each kernel.
std::vector<LedgerDetail> differences(const std::vector<KernelPart>& baseline,
                                      const std::vector<KernelPart>& candidate, double ratio);

}  // namespace mansard::analysis
