// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/compare_runs.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "analyzer/compare/match_kernels.h"
#include "analyzer/kernel_signature.h"

namespace mansard {

namespace {

// Launches of a step that differ by less are the same: a step recorded in part, a rare check.
constexpr double kSameLaunches = 0.005;

struct BothSteps {
  StepRanges a;
  StepRanges b;
};

BothSteps chosen_steps(const RunAnalysis& a, const RunAnalysis& b, const std::string& prefix) {
  BothSteps steps{find_step_ranges(a.profile, prefix), find_step_ranges(b.profile, prefix)};
  if (prefix.empty()) {
    const bool alike =
        steps.a.kind == steps.b.kind && steps.a.ranges.size() >= 2 && steps.b.ranges.size() >= 2;
    return alike ? std::move(steps) : BothSteps{};
  }
  for (const auto& [ranges, run] : {std::pair(&steps.a, &a), std::pair(&steps.b, &b)}) {
    if (!ranges->empty()) continue;
    throw std::runtime_error("no closed NVTX range in " + run->profile.file.string() +
                             " has a name that begins with '" + prefix +
                             "'; --steps-range takes the beginning of the steps' names");
  }
  return steps;
}

ComparedValue compare_samples(const std::vector<double>& a, const std::vector<double>& b) {
  const LaunchStatistics of_a = launch_statistics(a);
  const LaunchStatistics of_b = launch_statistics(b);
  return {of_a.median_s, of_b.median_s, noise_of_difference(of_a, of_b)};
}

struct Sums {
  double time_s = 0;
  double launches = 0;
  std::vector<double> durations_s;
};

Sums sums_of(const std::vector<const SignatureLaunches*>& side) {
  Sums sums;
  for (const SignatureLaunches* s : side) {
    sums.time_s += s->time_s;
    sums.launches += static_cast<double>(s->launches);
    sums.durations_s.insert(sums.durations_s.end(), s->durations_s.begin(), s->durations_s.end());
  }
  return sums;
}

std::string signature_of(const std::vector<const SignatureLaunches*>& side) {
  if (side.empty()) return "";
  const SignatureLaunches& s = *side.front();
  return kernel_signature(s.name, s.grid, s.block, s.shared_bytes);
}

Verdict verdict_of(const KernelComparison& k) {
  if (k.match == KernelMatch::only_a) return Verdict::removed;
  if (k.match == KernelMatch::only_b) return Verdict::added;
  const std::optional<double> noise = noise_of_difference(k.launch_a, k.launch_b);
  const double difference_s = k.launch_b.median_s - k.launch_a.median_s;
  if (noise && std::fabs(difference_s) > *noise) {
    return difference_s > 0 ? Verdict::slower : Verdict::faster;
  }
  const double launches = k.launches.relative().value_or(0);
  if (std::fabs(launches) > kSameLaunches) {
    return launches > 0 ? Verdict::more_launches : Verdict::fewer_launches;
  }
  return noise ? Verdict::within_noise : Verdict::too_few_launches;
}

KernelComparison compare_kernel(const MatchedLaunches& matched, double units_a, double units_b) {
  KernelComparison k;
  const SignatureLaunches& first = *(matched.a.empty() ? matched.b : matched.a).front();
  k.match = matched.match;
  k.name = first.name;
  k.short_name = first.short_name;
  k.operation_class = first.operation_class;
  k.signature_a = signature_of(matched.a);
  k.signature_b = signature_of(matched.b);
  const Sums a = sums_of(matched.a);
  const Sums b = sums_of(matched.b);
  k.launch_a = launch_statistics(a.durations_s);
  k.launch_b = launch_statistics(b.durations_s);
  k.time_s = {a.time_s / units_a, b.time_s / units_b, {}};
  k.launches = {a.launches / units_a, b.launches / units_b, {}};
  // The noise of one launch, as often as it is launched.
  if (const auto noise = noise_of_difference(k.launch_a, k.launch_b)) {
    k.time_s.noise = *noise * std::max(k.launches.a, k.launches.b);
  }
  k.verdict = verdict_of(k);
  return k;
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
    case Verdict::too_few_launches:
      return "too few launches";
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
  out.period_s = compare_samples(launches_a.period_s, launches_b.period_s);
  for (const MatchedLaunches& matched :
       match_kernels(launches_a.signatures, launches_b.signatures)) {
    out.kernels.push_back(compare_kernel(matched, out.units_a, out.units_b));
    const KernelComparison& k = out.kernels.back();
    out.kernel_s.a += k.time_s.a;
    out.kernel_s.b += k.time_s.b;
    out.launches.a += k.launches.a;
    out.launches.b += k.launches.b;
  }
  by_size_of_difference(out.kernels);
  out.classes = compare_classes(launches_a, launches_b);
  out.notes = comparison_notes(a, b);
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
