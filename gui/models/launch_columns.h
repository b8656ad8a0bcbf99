// SPDX-License-Identifier: Apache-2.0
// The launches behind the rows of a run, in columns: what filters, trees and densities go through
// by the million.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/run_analysis.h"
#include "gui/models/view_filter.h"

namespace mansard::gui {

// 24 bytes a launch. In the order of Profile::kernels; of a run of the host, of the annotated
// ranges in Profile::nvtx, which end and have a row.
struct LaunchColumns {
  static constexpr std::uint32_t kNoRow = static_cast<std::uint32_t>(-1);

  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint32_t> row;     // into RunAnalysis::rows; kNoRow: none
  std::vector<std::uint32_t> stream;  // into `streams`
  std::vector<StreamKey> streams;     // by key
  // Of the host: into Profile::nvtx. Empty of a device, whose launches are Profile::kernels.
  std::vector<std::uint32_t> record;

  std::size_t size() const { return start_ns.size(); }
  std::size_t record_of(std::size_t launch) const {
    return record.empty() ? launch : record[launch];
  }
};

LaunchColumns launch_columns(const analysis::RunAnalysis& run);

}  // namespace mansard::gui
