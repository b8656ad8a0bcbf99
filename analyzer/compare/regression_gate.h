// SPDX-License-Identifier: Apache-2.0
// Checks whether run B is slower than run A by more than the limits allow. Differences within noise
// never fail; checks that cannot be evaluated never pass.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/compare/compare_runs.h"

namespace mansard::analysis {

struct GateLimits {
  std::optional<double> total = {};        // busy time; limits are fractions: 0.03 allows +3 %
  std::optional<double> period = {};       // span of the run, or step time
  std::optional<double> kernel = {};       // time of each kernel
  std::optional<double> every_class = {};  // time of each class not in `classes`
  std::map<OperationClass, double> classes = {};

  bool any() const;
};

// Kernels and classes below this share of the kernel time of run A are not checked: a memcpy of
// 2 us that takes 3 us is not a regression of the program.
inline constexpr double kGatedShare = 0.01;

struct GateCheck {
  std::string what;  // "busy time per step", "class gemm", "kernel nvjet_..."
  double limit = 0;
  ComparedValue value;
  bool beyond = false;  // exceeds the limit; always set if run A has 0 and run B does not
  bool failed = false;  // exceeds the limit and the noise
};

// Returns all checks of totals, and the checks of kernels and classes that exceed their limits,
// within noise or not. Throws std::runtime_error if a limit checks nothing: a run is incomplete or
// has no work, neither run has a class with a limit, or the runs have no kernel in common.
std::vector<GateCheck> check_gate(const RunComparison& comparison, const GateLimits& limits);

}  // namespace mansard::analysis
