// SPDX-License-Identifier: Apache-2.0
// A kernel of known duration, for checks that something happened after it.
#pragma once

#include "kernels/device/sm_clock.cuh"

namespace mansard::kernels {

template <int = 0>  // a template, so that several files may include it
__global__ void busy_wait(unsigned duration_ns) {
  const unsigned long long start_ns = global_timer_ns();
  while (global_timer_ns() - start_ns < duration_ns) {
  }
}

}  // namespace mansard::kernels
