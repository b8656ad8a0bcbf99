// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/compare_runs.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "analyzer/compare/compare_kernel.h"

namespace mansard {

namespace {

struct BothSteps {
  StepRanges a;
  StepRanges b;
};

// Of the kinds that both runs have, the one that covers the most time of the two.
BothSteps common_steps(const RunAnalysis& a, const RunAnalysis& b) {
  BothSteps best;
  std::int64_t most_ns = -1;
  std::vector<StepRanges> kinds_b = step_range_kinds(b.profile);
  for (StepRanges& kind : step_range_kinds(a.profile)) {
    const auto same = std::find_if(kinds_b.begin(), kinds_b.end(),
                                   [&](const StepRanges& k) { return k.kind == kind.kind; });
    if (same == kinds_b.end() || kind.ranges.size() < 2 || same->ranges.size() < 2) continue;
    const std::int64_t covered_ns = kind.covered_ns + same->covered_ns;
    if (covered_ns <= most_ns) continue;
    most_ns = covered_ns;
    best = {std::move(kind), std::move(*same)};
  }
  return best;
}

BothSteps chosen_steps(const RunAnalysis& a, const RunAnalysis& b, const std::string& prefix) {
  if (prefix.empty()) return common_steps(a, b);
  BothSteps steps{find_step_ranges(a.profile, prefix), find_step_ranges(b.profile, prefix)};
  for (const auto& [ranges, run] : {std::pair(&steps.a, &a), std::pair(&steps.b, &b)}) {
    if (!ranges->empty()) continue;
    throw std::runtime_error("no closed NVTX range in " + run->profile.file.string() +
                             " has a name that begins with '" + prefix +
                             "'; --steps-range takes the beginning of the steps' names");
  }
  return steps;
}

ComparedValue compare_samples(const std::vector<double>& a, const std::vector<double>& b) {
  const Estimate of_a = estimate_median(a);
  const Estimate of_b = estimate_median(b);
  return {of_a.value_s, of_b.value_s, noise_of_difference(of_a, of_b)};
}

template <class T>
void by_size_of_difference(std::vector<T>& all) {
  std::stable_sort(all.begin(), all.end(), [](const T& x, const T& y) {
    return std::fabs(x.time_s.difference()) > std::fabs(y.time_s.difference());
  });
}

// By each run's own classes.
std::vector<ClassComparison> compare_classes(const RunLaunches& a, const RunLaunches& b) {
  std::map<std::string, ClassComparison> classes;
  const auto add = [&](const RunLaunches& run, double ComparedValue::*side) {
    for (const SignatureLaunches& s : run.signatures) {
      ClassComparison& entry = classes[s.operation_class];
      entry.operation_class = s.operation_class;
      entry.time_s.*side += s.time_s / run.units;
      entry.launches.*side += static_cast<double>(s.launches) / run.units;
    }
  };
  add(a, &ComparedValue::a);
  add(b, &ComparedValue::b);
  std::vector<ClassComparison> out;
  for (auto& [name, entry] : classes) out.push_back(std::move(entry));
  by_size_of_difference(out);
  return out;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::within_noise:
      return "within noise";
    case Verdict::slower:
      return "slower";
    case Verdict::faster:
      return "faster";
    case Verdict::more_launches:
      return "more launches";
    case Verdict::fewer_launches:
      return "fewer launches";
    case Verdict::too_few_samples:
      return "too few samples";
    case Verdict::added:
      return "added";
    case Verdict::removed:
      return "removed";
  }
  return "";
}

std::optional<double> ComparedValue::relative() const {
  if (!(a > 0)) return std::nullopt;
  return difference() / a;
}

RunComparison compare_runs(const RunAnalysis& a, const RunAnalysis& b,
                           const std::string& steps_prefix) {
  const BothSteps steps = chosen_steps(a, b, steps_prefix);
  const RunLaunches launches_a = collect_launches(a, steps.a);
  const RunLaunches launches_b = collect_launches(b, steps.b);

  RunComparison out;
  out.title_a = a.title;
  out.title_b = b.title;
  out.unit = steps.a.empty() ? "run" : "step";
  out.units_a = launches_a.units;
  out.units_b = launches_b.units;
  out.busy_s = compare_samples(launches_a.busy_s, launches_b.busy_s);
  if (!launches_a.period_s.empty() && !launches_b.period_s.empty()) {
    out.period_s = compare_samples(launches_a.period_s, launches_b.period_s);
  }
  for (const MatchedLaunches& matched :
       match_kernels(launches_a.signatures, launches_b.signatures)) {
    out.kernels.push_back(compare_kernel(matched, launches_a, launches_b));
    const KernelComparison& k = out.kernels.back();
    out.kernel_s.a += k.time_s.a;
    out.kernel_s.b += k.time_s.b;
    out.launches.a += k.launches.a;
    out.launches.b += k.launches.b;
  }
  by_size_of_difference(out.kernels);
  out.classes = compare_classes(launches_a, launches_b);
  out.notes = comparison_notes(a, b);
  out.obstacles = gate_obstacles(a, b);
  if (steps.a.empty()) {
    out.notes.push_back(
        "Whole runs are compared, as they have no steps of one name in common; "
        "annotate the steps, or name them by --steps-range, to compare per step "
        "and to know the noise of a step's time.");
  } else if (steps.a.kind != "") {
    out.notes.push_back("Steps are the ranges named '" + steps.a.kind +
                        "': " + std::to_string(steps.a.ranges.size()) + " and " +
                        std::to_string(steps.b.ranges.size()) +
                        ". What was launched outside of them is not compared.");
  }
  return out;
}

}  // namespace mansard
