// SPDX-License-Identifier: Apache-2.0
// The span of a kernel as its own SMs saw it: cycles by clock64, nanoseconds by the GPU's global
// timer. Cycles over seconds is the clock the kernel really ran at, which no outside sample gives.
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

// To be called by one thread of a block around what is measured.
__device__ __forceinline__ void span_begin(SmSpan& span) {
  asm volatile("mov.u32 %0, %smid;" : "=r"(span.sm));
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

  // Reads what the last launch left, in one go: further launches may be running.
  // Of the SM that was busy longest, from its first block's start to its last one's end: an SM may
  // hold its blocks one after the other, and the cycle counters of two SMs do not compare.
  double cycles() {
    longest_ = longest();
    return static_cast<double>(longest_.end_cycle - longest_.start_cycle);
  }

  // Of that same SM as cycles() read it, so that cycles() / seconds() is its clock. The global
  // timer ticks coarsely (up to 1 us): meant for launches of a millisecond and more.
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
