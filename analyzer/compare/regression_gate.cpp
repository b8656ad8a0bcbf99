// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/regression_gate.h"

#include <algorithm>
#include <stdexcept>

namespace mansard::analysis {

namespace {

GateCheck check(std::string what, double limit, const ComparedValue& value) {
  const std::optional<double> relative = value.relative();
  const bool beyond = relative ? *relative > limit : value.b > 0;
  return {std::move(what), limit, value, beyond, beyond && !value.within_noise()};
}

[[noreturn]] void refuse(const std::string& why) {
  throw std::runtime_error("the regression gate cannot be applied to these runs: " + why);
}

void require_judgeable(const RunComparison& c) {
  if (!c.obstacles.empty()) {
    std::string why;
    for (const std::string& obstacle : c.obstacles) why += (why.empty() ? "" : "; ") + obstacle;
    refuse(why);
  }
  if (c.kernel_s.a > 0 && !(c.kernel_s.b > 0)) refuse("run B has no launches in a " + c.unit);
}

void require_classes(const RunComparison& comparison, const GateLimits& limits) {
  for (const auto& [operation_class, limit] : limits.classes) {
    const bool known = std::ranges::count(comparison.classes, operation_class,
                                          &ClassComparison::operation_class) > 0;
    if (!known) {
      throw std::runtime_error("a limit is given for the class '" + operation_class.name() +
                               "', but neither run has kernels of it");
    }
  }
}

class Gate {
 public:
  Gate(const RunComparison& comparison, const GateLimits& limits) : c_(comparison), l_(limits) {}

  std::vector<GateCheck> checks() {
    judge_totals();
    judge_classes();
    judge_kernels();
    return std::move(checks_);
  }

 private:
  void judge_totals() {
    if (l_.total) checks_.push_back(check("busy time per " + c_.unit, *l_.total, c_.busy_s));
    if (!l_.period) return;
    if (!c_.period_s) refuse("the step time is unknown: counters were read in a whole run");
    checks_.push_back(check(c_.unit == "run" ? "span" : "step time", *l_.period, *c_.period_s));
  }

  void judge_classes() {
    bool any = false;
    for (const ClassComparison& k : c_.classes) {
      const auto own = l_.classes.find(k.operation_class);
      if (own != l_.classes.end()) {
        add_if_beyond(check("class " + k.operation_class.name(), own->second, k.time_s));
      } else if (l_.every_class && counts(k.time_s)) {
        any = any || k.time_s.b > 0;
        add_if_beyond(check("class " + k.operation_class.name(), *l_.every_class, k.time_s));
      }
    }
    if (l_.every_class && !any && l_.classes.empty()) {
      refuse("no class with at least 1 % of the kernel time of run A is in run B");
    }
  }

  void judge_kernels() {
    if (!l_.kernel) return;
    bool any = false;
    for (const KernelComparison& k : c_.kernels) {
      if (!counts(k.time_s)) continue;
      any = any || k.time_s.b > 0;
      add_if_beyond(check("kernel " + k.short_name, *l_.kernel, k.typical_s));
    }
    if (!any) refuse("no kernel with at least 1 % of the kernel time of run A is in run B");
  }

  bool counts(const ComparedValue& time_s) const {
    return time_s.a > 0 && time_s.a >= kGatedShare * c_.kernel_s.a;
  }
  void add_if_beyond(GateCheck judged) {
    if (judged.beyond) checks_.push_back(std::move(judged));
  }

  const RunComparison& c_;
  const GateLimits& l_;
  std::vector<GateCheck> checks_;
};

}  // namespace

bool GateLimits::any() const {
  return total || period || kernel || every_class || !classes.empty();
}

std::vector<GateCheck> check_gate(const RunComparison& comparison, const GateLimits& limits) {
  require_classes(comparison, limits);
  require_judgeable(comparison);
  return Gate(comparison, limits).checks();
}

}  // namespace mansard::analysis
