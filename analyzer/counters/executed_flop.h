// SPDX-License-Identifier: Apache-2.0
// Executed against needed FLOPs: what counters counted, and what the annotated range needs by the
// program's statement or the shapes of the call. Tiles that exceed the shape, masked tiles that are
// computed all the same, and recomputation make the difference.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/launch_work.h"

namespace mansard::analysis {

struct FlopBalance {
  double needed = 0;
  double executed = 0;
};

// Sets KernelShare::flop_fraction of the kernels of ranges with modeled work, in which others were
// counted: FLOPs are not both counted and modeled.
void settle_flop(const store::Profile& profile, const Attribution& attribution,
                 const WorkKinds& kinds, const CountedWorks& counted,
                 std::vector<KernelShare>& shares);

class ExecutedFlop {
 public:
  // `sources` must live as long as this.
  explicit ExecutedFlop(const WorkSources& sources);

  // `kernel` is an index into Profile::kernels. The FLOPs that a range needs are divided among
  // its kernels in proportion to the FLOPs that these executed. std::nullopt: one of both is
  // unknown, or only known of a whole CUDA graph.
  std::optional<FlopBalance> of(std::size_t kernel) const;

 private:
  const WorkSources& sources_;
  struct RangeSum {
    double executed = 0;
    double uncounted = 0;  // share of the range's work in kernels that were not counted
  };
  std::vector<RangeSum> of_range_;
};

}  // namespace mansard::analysis
