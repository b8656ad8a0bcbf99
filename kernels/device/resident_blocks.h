// SPDX-License-Identifier: Apache-2.0
// Grid size of a persistent kernel, whose thread blocks take work until none is left.
#pragma once

namespace mansard::kernels {

// Number of thread blocks with `threads` threads and `shared_bytes` of dynamic shared memory that
// the current device holds at once. Also prepares the kernel for that much shared memory. Queries
// the driver once per kernel, so that a launch only costs a lookup.
int resident_blocks(const void* kernel, int threads, int shared_bytes);

template <typename... Arguments>
int resident_blocks(void (*kernel)(Arguments...), int threads, int shared_bytes) {
  return resident_blocks(reinterpret_cast<const void*>(kernel), threads, shared_bytes);
}

}  // namespace mansard::kernels
