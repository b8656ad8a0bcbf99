// SPDX-License-Identifier: Apache-2.0
// How large a grid of a kernel is whose blocks stay and take work until none is left.
#pragma once

namespace mansard::kernels {

// Blocks of `threads` and `shared_bytes` of dynamic shared memory that the current device holds at
// a time, for which the kernel is then prepared. Asked of the driver once for each kernel, so that
// a launch costs no more than a look-up.
int resident_blocks(const void* kernel, int threads, int shared_bytes);

template <typename... Arguments>
int resident_blocks(void (*kernel)(Arguments...), int threads, int shared_bytes) {
  return resident_blocks(reinterpret_cast<const void*>(kernel), threads, shared_bytes);
}

}  // namespace mansard::kernels
