// SPDX-License-Identifier: Apache-2.0
// The span of a kernel as its own SMs saw it: cycles by clock64, nanoseconds by the GPU's global
// timer. Cycles over seconds is the clock the kernel really ran at, which no outside sample gives.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/device/device_buffer.h"

namespace mansard {

struct SmSpan {
  long long start_cycle;
  long long end_cycle;
  unsigned long long start_ns;
  unsigned long long end_ns;
};

__device__ __forceinline__ unsigned long long global_timer_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

// To be called by one thread of a block around what is measured.
__device__ __forceinline__ void span_begin(SmSpan& span) {
  span.start_ns = global_timer_ns();
  span.start_cycle = clock64();
}

__device__ __forceinline__ void span_end(SmSpan& span) {
  span.end_cycle = clock64();
  span.end_ns = global_timer_ns();
}

// One span for each block of a grid.
class SpanBuffer {
 public:
  explicit SpanBuffer(int blocks) : device_(static_cast<std::size_t>(blocks)) {
    device_.fill_bytes(0);
  }
  SmSpan* get() const { return device_.get(); }

  // The slowest block's cycles: blocks start together, and the launch ends with the last one.
  double cycles() const {
    double most = 0;
    for (const SmSpan& s : device_.to_host()) {
      most = std::max(most, static_cast<double>(s.end_cycle - s.start_cycle));
    }
    return most;
  }

  // Of that same block, so that cycles() / seconds() is one SM's clock. The global timer ticks
  // coarsely (up to 1 us): meant for launches of a millisecond and more.
  double seconds() const {
    double most = 0;
    double ns = 0;
    for (const SmSpan& s : device_.to_host()) {
      const auto cycles = static_cast<double>(s.end_cycle - s.start_cycle);
      if (cycles > most) {
        most = cycles;
        ns = static_cast<double>(s.end_ns - s.start_ns);
      }
    }
    return 1e-9 * ns;
  }

 private:
  DeviceBuffer<SmSpan> device_;
};

}  // namespace mansard
