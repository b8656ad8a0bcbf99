// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/compare_runs.h"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "analyzer/activity.h"
#include "analyzer/compare/compare_kernel.h"
#include "analyzer/steps/step_ranges.h"

namespace mansard::analysis {

namespace {

struct BothSteps {
  StepRanges a;
  StepRanges b;
};

// Selects the kind of range that covers most of the time of both runs, among the named kinds that
// occur at least twice in each.
BothSteps common_ranges(const RunAnalysis& a, const RunAnalysis& b) {
  BothSteps best;
  std::int64_t most_ns = -1;
  std::vector<StepRanges> kinds_b = step_range_kinds(b.profile);
  for (StepRanges& kind : step_range_kinds(a.profile)) {
    const auto same = std::find_if(kinds_b.begin(), kinds_b.end(),
                                   [&](const StepRanges& k) { return k.kind == kind.kind; });
    if (same == kinds_b.end() || kind.marker != StepMarker::named) continue;
    if (kind.ranges.size() < 2 || same->ranges.size() < 2) continue;
    const std::int64_t covered_ns = kind.covered_ns + same->covered_ns;
    if (covered_ns <= most_ns) continue;
    most_ns = covered_ns;
    best = {std::move(kind), std::move(*same)};
  }
  return best;
}

void require_ranges(const StepRanges& ranges, const RunAnalysis& run, const std::string& prefix) {
  if (!ranges.empty()) return;
  throw std::runtime_error("no closed NVTX range in " + run.profile.file.string() +
                           " has a name that starts with '" + prefix +
                           "'; --step-range expects the start of the step names");
}

// The launches of both runs per unit of comparison, and how its steps were found.
struct BothLaunches {
  RunLaunches a;
  RunLaunches b;
  std::string how;  // empty: no steps
};

bool by_ranges(const std::vector<DeviceSteps>& devices) {
  return !devices.empty() &&
         std::all_of(devices.begin(), devices.end(),
                     [](const DeviceSteps& device) { return device.origin == StepOrigin::ranges; });
}

std::vector<DeviceSteps> devices_of(const RunAnalysis& run, const std::string& prefix) {
  return prefix.empty()
             ? named_step_times(run)
             : step_times(run, find_steps_of_devices(run.profile, launches_of(run), prefix));
}

BothLaunches device_launches(const RunAnalysis& a, const RunAnalysis& b,
                             const std::string& prefix) {
  if (!prefix.empty()) {
    require_ranges(find_step_ranges(a.profile, prefix), a, prefix);
    require_ranges(find_step_ranges(b.profile, prefix), b, prefix);
  }
  std::vector<DeviceSteps> of_a = devices_of(a, prefix);
  std::vector<DeviceSteps> of_b = devices_of(b, prefix);
  // Steps with different names in the two runs are not comparable.
  const auto named = [&prefix](const RunAnalysis& run) {
    return find_step_ranges(run.profile, prefix).marker == StepMarker::named;
  };
  if (by_ranges(of_a) && by_ranges(of_b) && of_a.front().how != of_b.front().how && named(a) &&
      named(b)) {
    const std::string kind = common_ranges(a, b).a.kind;
    const std::string start = kind.substr(0, kind.find('#'));
    if (start.empty()) return {collect_launches(a, {}), collect_launches(b, {}), ""};
    of_a = devices_of(a, start);
    of_b = devices_of(b, start);
  }
  if (!has_typical_steps(of_a) || !has_typical_steps(of_b)) {
    return {collect_launches(a, {}), collect_launches(b, {}), ""};
  }
  return {collect_launches(a, of_a), collect_launches(b, of_b),
          of_a.front().how == of_b.front().how ? of_a.front().how
                                               : of_a.front().how + "; " + of_b.front().how};
}

BothLaunches host_launches(const RunAnalysis& a, const RunAnalysis& b, const std::string& prefix) {
  BothSteps steps;
  if (prefix.empty()) {
    steps = common_ranges(a, b);
  } else {
    steps = {find_step_ranges(a.profile, prefix), find_step_ranges(b.profile, prefix)};
    require_ranges(steps.a, a, prefix);
    require_ranges(steps.b, b, prefix);
  }
  return {collect_host_launches(a, steps.a), collect_host_launches(b, steps.b),
          steps.a.empty() ? "" : describe(steps.a)};
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Compares means, like all values of a typical step; the noise is that of medians, which are robust
// against outliers.
ComparedValue compare_samples(const std::vector<double>& a, const std::vector<double>& b) {
  return {mean_of(a), mean_of(b), noise_of_difference(estimate_median(a), estimate_median(b))};
}

template <class T>
void by_size_of_difference(std::vector<T>& all) {
  std::stable_sort(all.begin(), all.end(), [](const T& x, const T& y) {
    return std::fabs(x.time_s.difference()) > std::fabs(y.time_s.difference());
  });
}

// Kernels count in the class that they have in their own run.
std::vector<ClassComparison> compare_classes(const RunLaunches& a, const RunLaunches& b) {
  std::map<OperationClass, ClassComparison> classes;
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
  for (auto& [operation_class, entry] : classes) out.push_back(std::move(entry));
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
  const bool on_device = has_device_activity(a.profile) || has_device_activity(b.profile);
  const BothLaunches both =
      on_device ? device_launches(a, b, steps_prefix) : host_launches(a, b, steps_prefix);
  const RunLaunches& launches_a = both.a;
  const RunLaunches& launches_b = both.b;

  RunComparison out;
  out.title_a = a.title;
  out.title_b = b.title;
  out.unit = both.how.empty() ? "run" : "step";
  out.units_a = launches_a.units;
  out.units_b = launches_b.units;
  const bool known = !a.all_disturbed && !b.all_disturbed;
  if (known) out.busy_s = compare_samples(launches_a.busy_s, launches_b.busy_s);
  if (known && !launches_a.time_s.empty() && !launches_b.time_s.empty()) {
    out.period_s = compare_samples(launches_a.time_s, launches_b.time_s);
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
  if (both.how.empty()) {
    out.notes.push_back(
        "The two runs have no common kind of steps, so whole runs are compared. To compare per "
        "step, with noise, annotate the steps with NVTX ranges or name them with --step-range.");
  } else {
    out.notes.push_back("Per typical step: " + format_count(out.units_a) + " and " +
                        format_count(out.units_b) + " steps (" + both.how +
                        "). Work outside these steps is not compared.");
  }
  return out;
}

}  // namespace mansard::analysis
