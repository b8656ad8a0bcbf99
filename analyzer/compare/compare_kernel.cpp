// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/compare_kernel.h"

#include <cmath>

#include "analyzer/kernel_signature.h"

namespace mansard::analysis {

namespace {

// A smaller relative difference in launches per step is ignored, e.g. from a partly recorded step.
constexpr double kSameLaunches = 0.005;

// One kernel in one run.
struct Side {
  double time_s = 0;  // per unit, like launches
  double launches = 0;
  DurationStatistics launch;
  Estimate typical;
};

Estimate typical_of_steps(const std::vector<const SignatureLaunches*>& signatures, double steps) {
  std::map<std::size_t, double> unit_s;
  for (const SignatureLaunches* s : signatures) {
    for (const auto& [step, time_s] : s->unit_s) unit_s[step] += time_s;
  }
  std::vector<double> samples_s;
  for (const auto& [step, time_s] : unit_s) samples_s.push_back(time_s);
  return estimate_median(samples_s).times(static_cast<double>(samples_s.size()) / steps);
}

// Sums over signatures: launches of several signatures have no common median and are not sorted by
// time.
Estimate typical_of_launches(const std::vector<const SignatureLaunches*>& signatures) {
  std::optional<Estimate> all;
  for (const SignatureLaunches* s : signatures) {
    if (s->durations_s.empty()) continue;
    const Estimate one =
        estimate_median(s->durations_s).times(static_cast<double>(s->durations_s.size()));
    all = all ? sum_of(*all, one) : one;
  }
  return all.value_or(Estimate{});
}

Side side_of(const std::vector<const SignatureLaunches*>& signatures, const RunLaunches& run) {
  Side side;
  std::vector<double> durations_s;
  for (const SignatureLaunches* s : signatures) {
    side.time_s += s->time_s / run.units;
    side.launches += static_cast<double>(s->launches) / run.units;
    durations_s.insert(durations_s.end(), s->durations_s.begin(), s->durations_s.end());
  }
  side.launch = duration_statistics(durations_s);
  side.typical =
      run.by_step ? typical_of_steps(signatures, run.units) : typical_of_launches(signatures);
  return side;
}

std::string signature_of(const std::vector<const SignatureLaunches*>& side) {
  if (side.empty()) return "";
  const SignatureLaunches& s = *side.front();
  return kernel_signature(s.name, s.grid, s.block, s.shared_bytes);
}

Verdict verdict_of(const KernelComparison& k) {
  if (k.match == KernelMatch::only_a) return Verdict::removed;
  if (k.match == KernelMatch::only_b) return Verdict::added;
  const bool other_count = std::fabs(k.launches.relative().value_or(0)) > kSameLaunches;
  const Verdict by_count =
      k.launches.difference() > 0 ? Verdict::more_launches : Verdict::fewer_launches;
  const ComparedValue& typical = k.typical_s;
  if (typical.noise && !typical.within_noise()) {
    // Split the difference into the part from the launch count and the part from launch durations.
    const double of_count_s =
        k.launches.a > 0 ? k.launches.difference() * typical.a / k.launches.a : 0;
    const double of_launch_s = typical.difference() - of_count_s;
    if (other_count && std::fabs(of_count_s) >= std::fabs(of_launch_s)) return by_count;
    return typical.difference() > 0 ? Verdict::slower : Verdict::faster;
  }
  if (other_count) return by_count;
  return typical.noise ? Verdict::within_noise : Verdict::too_few_samples;
}

}  // namespace

KernelComparison compare_kernel(const MatchedLaunches& matched, const RunLaunches& a,
                                const RunLaunches& b) {
  KernelComparison k;
  const SignatureLaunches& first = *(matched.a.empty() ? matched.b : matched.a).front();
  k.match = matched.match;
  k.name = first.name;
  k.short_name = first.short_name;
  k.operation_class = first.operation_class;
  k.signature_a = signature_of(matched.a);
  k.signature_b = signature_of(matched.b);
  if (!matched.b.empty()) k.row_b = matched.b.front()->row;
  const Side side_a = side_of(matched.a, a);
  const Side side_b = side_of(matched.b, b);
  k.launch_a = side_a.launch;
  k.launch_b = side_b.launch;
  k.time_s = {side_a.time_s, side_b.time_s, {}};
  k.launches = {side_a.launches, side_b.launches, {}};
  k.typical_s = {side_a.typical.value_s, side_b.typical.value_s,
                 noise_of_difference(side_a.typical, side_b.typical)};
  k.verdict = verdict_of(k);
  return k;
}

}  // namespace mansard::analysis
