// SPDX-License-Identifier: Apache-2.0
// Which annotated NVTX range a kernel belongs to. A kernel runs long after its range may have
// closed, so the range is found where the kernel was launched: the API call with the kernel's
// correlation id, on its thread, at its time. The innermost annotated range open there wins.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/store/profile.h"

namespace mansard::analysis {

struct AttributedRange {
  std::size_t nvtx = 0;  // into Profile::nvtx
  const kernels::WorkAnnotation* work = nullptr;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t parent = -1;  // the annotated range that was innermost when this one began
  // Time during which this was the innermost annotated range of its thread: its duration less its
  // annotated children's.
  std::int64_t exclusive_ns = 0;
  // A kernel, copy or fill was launched in it or in an annotated range inside it.
  bool device_work = false;
};

struct Attribution {
  std::vector<AttributedRange> ranges;  // by start, an enclosing range before those inside it
  // For each of Profile::kernels an index into `ranges`, or -1: launched outside every annotated
  // range, by a graph (its nodes have no API call of their own), or by a call not recorded.
  std::vector<std::int32_t> range_of_kernel;
  std::vector<std::int32_t> range_of_reading;  // likewise for each of Profile::counter_readings
  std::size_t open_ranges = 0;  // annotated, but still open when recording ended: left out
};

// Linear in the profile's rows (n log n where rows are not already in order).
Attribution attribute_kernels(const store::Profile& profile);

}  // namespace mansard::analysis
