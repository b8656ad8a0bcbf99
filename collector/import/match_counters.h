// SPDX-License-Identifier: Apache-2.0
// Which kernels of a recording are those that Nsight Compute read, in another run of the program.
#pragma once

#include <string>
#include <vector>

#include "collector/import/ncu_table.h"
#include "collector/store/profile.h"

namespace mansard::collector {

// Launches in the recording that are alike in what counters depend on.
struct KernelSignature {
  store::KernelRecord first;  // of its launches
  std::int64_t launches = 0;
  double time_s = 0;
  bool has_counters = false;
};

struct CounterMatch {
  std::vector<std::size_t> launches;    // into the table, all alike
  std::vector<std::size_t> signatures;  // empty: none; several: it cannot be told which
};

struct CounterMatches {
  std::vector<KernelSignature> signatures;  // by falling time
  std::vector<CounterMatch> matches;
  double all_s = 0;
  double with_counters_s = 0;
};

// By grid, block, dynamic shared memory (where both know it, as exactly as it was printed) and
// name: as it stands, else in one spelling, else without parameters, else the function's name alone
// if ncu gave no more.
CounterMatches match_counters(const store::Profile& profile,
                              const std::vector<NcuLaunch>& launches);

}  // namespace mansard::collector
