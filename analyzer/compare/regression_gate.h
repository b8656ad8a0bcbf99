// SPDX-License-Identifier: Apache-2.0
// Whether run B is slower than run A by more than is allowed. What is within noise never fails, and
// what cannot be judged never passes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/compare/compare_runs.h"

namespace mansard::analysis {

struct GateLimits {
  std::optional<double> total = {};        // busy time, as a fraction: 0.03 allows 3 % more
  std::optional<double> period = {};       // span of the run, or time from step to step
  std::optional<double> kernel = {};       // of any one kernel
  std::optional<double> every_class = {};  // of any class not named in `classes`
  std::map<OperationClass, double> classes = {};

  bool any() const;
};

// Kernels and classes below this share of the kernel time of run A are not judged: a copy of 2 us
// that takes 3 us is no regression of a program.
inline constexpr double kGatedShare = 0.01;

struct GateCheck {
  std::string what;  // "busy time per step", "class gemm", "kernel nvjet_..."
  double limit = 0;
  ComparedValue value;
  bool beyond = false;  // the limit; as is any time where run A has none
  bool failed = false;  // beyond it and beyond noise
};

// All that was judged and lies beyond its limit, noise or not, and the totals in any case. Throws
// std::runtime_error where a limit judges nothing: of runs that are not whole or did nothing, for a
// class that neither run has, for kernels of which none is in both.
std::vector<GateCheck> check_gate(const RunComparison& comparison, const GateLimits& limits);

}  // namespace mansard::analysis
