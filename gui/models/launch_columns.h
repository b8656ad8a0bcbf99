// SPDX-License-Identifier: Apache-2.0
// The launches of a run in columns, for filters, trees and density plots over millions of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/run_analysis.h"
#include "gui/models/view_filter.h"

namespace mansard::gui {

// 24 bytes per launch. In the order of Profile::kernels; for a host run, in the order of the
// annotated ranges in Profile::nvtx that have an end and a row.
struct LaunchColumns {
  static constexpr std::uint32_t kNoRow = static_cast<std::uint32_t>(-1);

  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint32_t> row;     // index into RunAnalysis::rows, or kNoRow
  std::vector<std::uint32_t> stream;  // index into `streams`
  std::vector<StreamKey> streams;     // sorted
  // Host runs: indices into Profile::nvtx. Empty for device runs, whose launches are
  // Profile::kernels.
  std::vector<std::uint32_t> record;

  std::size_t size() const { return start_ns.size(); }
  std::size_t record_of(std::size_t launch) const {
    return record.empty() ? launch : record[launch];
  }
};

LaunchColumns launch_columns(const analysis::RunAnalysis& run);

}  // namespace mansard::gui
