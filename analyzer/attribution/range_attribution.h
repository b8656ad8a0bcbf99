// SPDX-License-Identifier: Apache-2.0
// Attributes kernels to ranges with work: NVTX ranges whose work the program states, and calls
// whose work was modeled from their shapes. A kernel may run after its range has closed, so the
// launch decides: the innermost such range open on the thread of the API call with the kernel's
// correlation id, at the start of that call. For a node of a CUDA graph, the innermost one open
// when the program created the node, which applies to every launch of the graph. Modeled ranges
// inside of stated work do not count.
#pragma once

#include <cstdint>
#include <vector>

#include "collector/store/profile.h"

namespace mansard::analysis {

struct AttributedRange {
  std::size_t nvtx = 0;  // index into Profile::nvtx
  const kernels::WorkAnnotation* work = nullptr;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::int32_t parent = -1;  // innermost annotated range when this one started
  // Time in which this was the innermost annotated range of its thread: its duration minus that of
  // its annotated children.
  std::int64_t exclusive_ns = 0;
  // A kernel, memcpy or memset was launched in it or in a nested annotated range.
  bool device_work = false;
};

struct Attribution {
  std::vector<AttributedRange> ranges;  // sorted by start, an enclosing range before nested ones
  // For each of Profile::kernels an index into `ranges`, or -1: launched, or its graph node
  // created, outside all annotated ranges, or at a time that was not recorded.
  std::vector<std::int32_t> range_of_kernel;
  std::vector<std::int32_t> range_of_reading;  // likewise for each of Profile::counter_readings
  std::size_t open_ranges = 0;  // annotated ranges still open when recording ended; ignored
};

// Linear in the profile's records (n log n if they are not sorted).
Attribution attribute_kernels(const store::Profile& profile);

}  // namespace mansard::analysis
