// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/executed_flop.h"

#include <algorithm>

namespace mansard::analysis {
namespace {

constexpr double kWhole = 0.99;    // a share of this much is the whole range's work
constexpr double kMayLack = 0.05;  // short helper kernels may be missing

// FLOPs in the precision with most of them; 0: not counted.
double main_flop(const CountedWork* work) {
  if (work == nullptr || work->is_part || work->flop.empty()) return 0;
  const std::optional<Precision> precision = work->main_precision();
  const auto found = precision ? work->flop.find(*precision) : work->flop.end();
  return found != work->flop.end() ? found->second : 0;
}

bool executes_none(const CountedWork* work) {
  return work != nullptr && work->counts_tensor_cores && !(main_flop(work) > 0) &&
         work->flop_per_s.empty();
}

}  // namespace

void settle_flop(const store::Profile& profile, const Attribution& attribution,
                 const WorkKinds& kinds, const CountedWorks& counted,
                 std::vector<KernelShare>& shares) {
  if (counted.empty()) return;
  struct Group {
    double executed = 0;
    double uncounted = 0;  // sum of the fractions
  };
  const WorkGroups groups(profile, attribution);
  std::vector<Group> of_group(groups.size());
  const auto work_of = [&](std::size_t kernel) {
    return counted.of(profile.kernels[kernel], kinds.of_kernel(kernel));
  };
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::optional<std::size_t> group = groups.of(i);
    if (!group || shares[i].range < 0) continue;
    const CountedWork* work = work_of(i);
    const double executed = main_flop(work);
    of_group[*group].executed += executed;
    if (!(executed > 0) && !executes_none(work)) of_group[*group].uncounted += shares[i].fraction;
  }
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::optional<std::size_t> group = groups.of(i);
    if (!group || shares[i].range < 0) continue;
    const kernels::WorkAnnotation& range =
        *attribution.ranges[static_cast<std::size_t>(shares[i].range)].work;
    const auto [executed, uncounted] = of_group[*group];
    // Without a count of any, kernels share the modeled work, as those of CUDA cores.
    if (!range.modeled || !(range.flop > 0) || !(executed > 0 || uncounted > 0)) continue;
    const CountedWork* work = work_of(i);
    if (main_flop(work) > 0) continue;
    const double left = std::max(0.0, 1 - executed / range.flop);
    shares[i].flop_fraction =
        executes_none(work) || !(uncounted > 0) ? 0 : left * shares[i].fraction / uncounted;
  }
}

ExecutedFlop::ExecutedFlop(const WorkSources& sources)
    : sources_(sources), of_range_(sources.attribution.ranges.size()) {
  for (std::size_t i = 0; i < sources.profile.kernels.size(); ++i) {
    const KernelShare& share = sources.shares[i];
    if (share.range < 0 || sources.profile.kernels[i].graph_id != 0) continue;
    RangeSum& sum = of_range_[static_cast<std::size_t>(share.range)];
    const CountedWork* work = sources.counted_of(i);
    const double executed = main_flop(work);
    sum.executed += executed;
    if (!(executed > 0) && !executes_none(work)) sum.uncounted += share.fraction;
  }
}

std::optional<FlopBalance> ExecutedFlop::of(std::size_t kernel) const {
  const kernels::WorkAnnotation* work = sources_.annotation(kernel);
  if (work == nullptr || !(work->flop > 0)) return std::nullopt;
  const double executed = main_flop(sources_.counted_of(kernel));
  if (!(executed > 0)) return std::nullopt;
  const KernelShare& share = sources_.shares[kernel];
  // A graph repeats the range's kernels, so sums over the profile do not apply.
  if (sources_.profile.kernels[kernel].graph_id != 0) {
    return share.fraction > kWhole ? std::optional(FlopBalance{work->flop, executed})
                                   : std::nullopt;
  }
  const RangeSum& sum = of_range_[static_cast<std::size_t>(share.range)];
  if (sum.uncounted > kMayLack) return std::nullopt;
  return FlopBalance{work->flop * executed / sum.executed, executed};
}

}  // namespace mansard::analysis
