// SPDX-License-Identifier: Apache-2.0
// Matches kernels of a profile with kernels that Nsight Compute measured in another run of the
// program.
#pragma once

#include <string>
#include <vector>

#include "collector/import/ncu_table.h"
#include "collector/store/profile.h"

namespace mansard::collector {

// Launches in the profile that agree in everything that determines their counters.
struct KernelSignature {
  store::KernelRecord first;  // its first launch
  std::int64_t launches = 0;
  double time_s = 0;
  bool has_counters = false;
};

struct CounterMatch {
  std::vector<std::size_t> launches;    // indices into the table; all have the same signature
  std::vector<std::size_t> signatures;  // empty: none; several: ambiguous
};

struct CounterMatches {
  std::vector<KernelSignature> signatures;  // by descending time
  std::vector<CounterMatch> matches;
  double all_s = 0;
  double with_counters_s = 0;
};

// Matches by grid, block, dynamic shared memory (if both have it, within the printed precision) and
// name: as written, else normalized, else without parameters, else only the function name if ncu
// printed no more.
CounterMatches match_counters(const store::Profile& profile,
                              const std::vector<NcuLaunch>& launches);

}  // namespace mansard::collector
