// SPDX-License-Identifier: Apache-2.0
// The kernels of a recording as its threads launched them.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/store/profile.h"

namespace mansard::analysis {

struct KernelLaunch {
  std::int64_t at_ns;       // begin of the call
  std::int64_t global_tid;  // of the calling thread
  std::uint32_t kernel;     // into Profile::kernels
};

// In the order of the calls; kernels of which no call was recorded are left out. Nodes of a graph
// are launched together, by one call: a range around that call is around all of them.
std::vector<KernelLaunch> kernel_launches(const store::Profile& profile);

}  // namespace mansard::analysis
