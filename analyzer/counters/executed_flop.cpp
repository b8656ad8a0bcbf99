// SPDX-License-Identifier: Apache-2.0
#include "analyzer/counters/executed_flop.h"

namespace mansard::analysis {
namespace {

constexpr double kWhole = 0.99;    // a share of this much is the whole range's work
constexpr double kMayLack = 0.05;  // short helper kernels may be missing

}  // namespace

double ExecutedFlop::counted(std::size_t kernel) const {
  const CountedWork* work = sources_.counted_of(kernel);
  if (work == nullptr || work->is_part || work->flop.empty()) return 0;
  const std::optional<Precision> precision = work->main_precision();
  const auto found = precision ? work->flop.find(*precision) : work->flop.end();
  return found != work->flop.end() ? found->second : 0;
}

ExecutedFlop::ExecutedFlop(const WorkSources& sources)
    : sources_(sources), of_range_(sources.attribution.ranges.size()) {
  for (std::size_t i = 0; i < sources.profile.kernels.size(); ++i) {
    const KernelShare& share = sources.shares[i];
    if (share.range < 0 || sources.profile.kernels[i].graph_id != 0) continue;
    RangeSum& sum = of_range_[static_cast<std::size_t>(share.range)];
    const double executed = counted(i);
    sum.executed += executed;
    if (!(executed > 0)) sum.uncounted += share.fraction;
  }
}

std::optional<FlopBalance> ExecutedFlop::of(std::size_t kernel) const {
  const kernels::WorkAnnotation* work = sources_.annotation(kernel);
  if (work == nullptr || !(work->flop > 0)) return std::nullopt;
  const double executed = counted(kernel);
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
