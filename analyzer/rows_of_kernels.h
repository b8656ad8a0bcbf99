// SPDX-License-Identifier: Apache-2.0
// The row of each record of a run, disturbed or not.
#pragma once

#include <vector>

#include "analyzer/run_analysis.h"
#include "analyzer/steps/device_timeline.h"

namespace mansard::analysis {

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

// For each of Profile::kernels an index into RunAnalysis::rows; kNoRow for none.
std::vector<std::size_t> rows_of_kernels(const RunAnalysis& run);

class RowsOfRecords {
 public:
  explicit RowsOfRecords(const RunAnalysis& run);
  // kNoRow for none: graphs recorded as a whole.
  std::size_t of(const DeviceActivity& activity) const;
  // By index into the profile's lists.
  std::size_t of_kernel(std::size_t kernel) const { return kernels_[kernel]; }
  std::size_t of_memcpy(std::size_t memcpy) const { return memcpys_[memcpy]; }
  std::size_t of_memset(std::size_t memset) const { return memsets_[memset]; }

 private:
  std::vector<std::size_t> kernels_;
  std::vector<std::size_t> memcpys_;
  std::vector<std::size_t> memsets_;
};

}  // namespace mansard::analysis
