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

// The line's time is the sum of its details, so the two never differ.
LedgerLine make_line(std::string id, std::string label, std::string meaning,
                     std::vector<LedgerDetail> details, OperationClass operation_class = {});

// std::nullopt where the run has none of these kernels.
std::optional<double> measured_s(const std::vector<KernelPart>& parts);

// A detail of a comparison: ideal = baseline / ratio.
LedgerDetail make_detail(std::string label, std::optional<double> baseline_s,
                         std::optional<double> candidate_s, double ratio, double adds_s);

// Details of a line, one per kernel (part_label). However a line weighs a kernel's time, the
// columns show what was measured: all time of that kernel in `baseline` and in `candidate`.
class KernelDetails {
 public:
  KernelDetails(const std::vector<KernelPart>& baseline, const std::vector<KernelPart>& candidate,
                double ratio);
  // adds_s = sum of `add` - sum of `subtract`, for each kernel.
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
    std::optional<std::size_t> row;  // of the candidate, the one of most time
  };
  std::map<std::string, Sums> sums_;
  double ratio_;
};

// Candidate - baseline, kernel by kernel.
std::vector<LedgerDetail> differences(const std::vector<KernelPart>& baseline,
                                      const std::vector<KernelPart>& candidate, double ratio);

}  // namespace mansard::analysis
