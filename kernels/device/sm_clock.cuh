// SPDX-License-Identifier: Apache-2.0
// The duration of a kernel as seen by its own SMs: cycles from clock64, nanoseconds from the GPU's
// global timer. Cycles over seconds is the actual clock during the kernel, which no external
// sampling provides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/device/device_buffer.h"

namespace mansard::kernels {

struct SmSpan {
  long long start_cycle;
  long long end_cycle;
  unsigned long long start_ns;
  unsigned long long end_ns;
  unsigned sm;
};

__device__ __forceinline__ unsigned long long global_timer_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

// Called by one thread of a thread block around the measured code.
__device__ __forceinline__ void span_begin(SmSpan& span) {
  asm volatile("mov.u32 %0, %smid;" : "=r"(span.sm));
  span.start_ns = global_timer_ns();
  span.start_cycle = clock64();
}

__device__ __forceinline__ void span_end(SmSpan& span) {
  span.end_cycle = clock64();
  span.end_ns = global_timer_ns();
}

// One span per thread block of a grid.
class SpanBuffer {
 public:
  explicit SpanBuffer(int blocks) : device_(static_cast<std::size_t>(blocks)) {
    device_.fill_bytes(0);
  }
  SmSpan* get() const { return device_.get(); }

  // Reads the spans of the last launch in a single copy, because further launches may be running.
  // Returns the cycles of the busiest SM, from the start of its first block to the end of its last:
  // an SM may run its blocks one after the other, and the cycle counters of two SMs cannot be
  // compared.
  double cycles() {
    longest_ = longest();
    return static_cast<double>(longest_.end_cycle - longest_.start_cycle);
  }

  // Seconds of the same SM and interval as the last cycles(), so that cycles() / seconds() is its
  // clock. The global timer has a resolution of up to 1 us, so launches should last at least a
  // millisecond.
  double seconds() const { return 1e-9 * static_cast<double>(longest_.end_ns - longest_.start_ns); }

 private:
  SmSpan longest() const {
    std::map<unsigned, SmSpan> by_sm;
    for (const SmSpan& block : device_.to_host()) {
      SmSpan& sm = by_sm.try_emplace(block.sm, block).first->second;
      sm.start_cycle = std::min(sm.start_cycle, block.start_cycle);
      sm.end_cycle = std::max(sm.end_cycle, block.end_cycle);
      sm.start_ns = std::min(sm.start_ns, block.start_ns);
      sm.end_ns = std::max(sm.end_ns, block.end_ns);
    }
    SmSpan most{};
    for (const auto& [id, sm] : by_sm) {
      if (sm.end_cycle - sm.start_cycle > most.end_cycle - most.start_cycle) most = sm;
    }
    return most;
  }

  DeviceBuffer<SmSpan> device_;
  SmSpan longest_{};
};

}  // namespace mansard::kernels
