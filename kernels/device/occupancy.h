// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/device/cuda_check.h"

namespace mansard::kernels {

// Number of thread blocks of `threads` threads of `kernel` that fit on an SM of the current device.
template <typename Kernel>
int resident_blocks_per_sm(Kernel kernel, int threads, std::size_t shared_bytes = 0) {
  int blocks = 0;
  cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared_bytes),
             "compute a kernel's occupancy");
  return blocks;
}

}  // namespace mansard::kernels
