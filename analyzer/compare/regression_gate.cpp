// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/regression_gate.h"

#include <algorithm>
#include <stdexcept>

namespace mansard {

namespace {

bool is_beyond(const ComparedValue& value, double limit) {
  return value.relative() && *value.relative() > limit;
}

GateCheck check(std::string what, double limit, const ComparedValue& value) {
  const bool failed = is_beyond(value, limit) && !value.within_noise();
  return {std::move(what), limit, value, failed};
}

}  // namespace

bool GateLimits::any() const {
  return total || period || kernel || every_class || !classes.empty();
}

std::vector<GateCheck> check_gate(const RunComparison& comparison, const GateLimits& limits) {
  for (const auto& [name, limit] : limits.classes) {
    const bool known =
        std::any_of(comparison.classes.begin(), comparison.classes.end(),
                    [&](const ClassComparison& c) { return c.operation_class == name; });
    if (!known) {
      throw std::runtime_error("neither run has kernels of the class '" + name +
                               "', for which a limit is given");
    }
  }
  std::vector<GateCheck> checks;
  const std::string per = " per " + comparison.unit;
  if (limits.total) checks.push_back(check("busy time" + per, *limits.total, comparison.busy_s));
  if (limits.period) {
    checks.push_back(check(comparison.unit == "run" ? "span" : "time from step to step",
                           *limits.period, comparison.period_s));
  }
  const auto counts = [&](const ComparedValue& time_s) {
    return time_s.a >= kGatedShare * comparison.kernel_s.a;
  };
  for (const ClassComparison& c : comparison.classes) {
    const auto own = limits.classes.find(c.operation_class);
    if (own == limits.classes.end() && (!limits.every_class || !counts(c.time_s))) continue;
    const double limit = own != limits.classes.end() ? own->second : *limits.every_class;
    if (is_beyond(c.time_s, limit)) {
      checks.push_back(check("class " + c.operation_class, limit, c.time_s));
    }
  }
  for (const KernelComparison& k : comparison.kernels) {
    if (!limits.kernel || !counts(k.time_s) || !is_beyond(k.time_s, *limits.kernel)) continue;
    checks.push_back(check("kernel " + k.short_name, *limits.kernel, k.time_s));
  }
  return checks;
}

}  // namespace mansard
