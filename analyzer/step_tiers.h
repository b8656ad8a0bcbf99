// SPDX-License-Identifier: Apache-2.0
// The hierarchical roofline of a whole step: one point per memory tier and link, with the step's
// known FLOPs and bytes per device. For a link the bytes are those that a GPU sends in one
// direction, so F / B is the step's network arithmetic intensity.
#pragma once

#include <list>
#include <optional>
#include <vector>

#include "analyzer/roofline_columns.h"
#include "analyzer/steps/run_unit.h"
#include "empirical_roofline/collective_fit.h"

namespace mansard::analysis {

class StepTiers {
 public:
  StepTiers(const RunAnalysis& run, const RunUnit& unit);
  StepTiers(const StepTiers&) = delete;
  StepTiers& operator=(const StepTiers&) = delete;

  // By tier. NVLink may have two: at its bandwidth and at that of the measured collectives, with
  // their latency, at the sizes of the step's messages. Empty without FLOPs.
  const std::vector<TierPoint>& points() const { return points_; }

 private:
  void add(MemoryLevel level, double bytes, roofline::Ceiling roof, const RunAnalysis& run);

  WorkTotals all_;
  double time_s_ = 0;
  // Lists, because the points refer to their elements.
  std::list<WorkTotals> works_;
  std::list<SpeedOfLight> sols_;
  std::list<roofline::Ceiling> roofs_;
  std::vector<TierPoint> points_;
};

// Time of a call with this message, as measured by `mansard characterize` for the same operation
// and number of GPUs on one host: alpha + bus bytes / beta. Empty: not measured.
std::optional<double> measured_call_s(const CollectiveMessage& message,
                                      const std::vector<roofline::CollectiveFit>& fits);

}  // namespace mansard::analysis
