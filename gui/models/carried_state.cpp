// SPDX-License-Identifier: Apache-2.0
#include "gui/models/carried_state.h"

#include <algorithm>

namespace mansard::gui {
namespace {

bool is_same(const analysis::KernelRow& a, const analysis::KernelRow& b) {
  return a.name == b.name && a.grid == b.grid && a.block == b.block &&
         a.shared_bytes == b.shared_bytes && a.operation_class == b.operation_class &&
         a.precision == b.precision && a.origin == b.origin;
}

// Returns whether both snapshots of a growing profile read this launch from the same record. The
// index cannot tell: records that were added in between may sort before it.
bool is_same_launch(const OpenRun& from, std::size_t launch, const OpenRun& to, std::size_t other) {
  const store::Profile& a = from.analysis.profile;
  const store::Profile& b = to.analysis.profile;
  const std::size_t record_a = from.launches.record_of(launch);
  const std::size_t record_b = to.launches.record_of(other);
  if (from.launches.record.empty() != to.launches.record.empty()) return false;
  if (!from.launches.record.empty()) {
    const store::NvtxRecord& x = a.nvtx[record_a];
    const store::NvtxRecord& y = b.nvtx[record_b];
    return x.start_ns == y.start_ns && x.global_tid == y.global_tid;
  }
  const store::KernelRecord& x = a.kernels[record_a];
  const store::KernelRecord& y = b.kernels[record_b];
  return x.correlation_id == y.correlation_id && x.graph_node_id == y.graph_node_id &&
         x.device_id == y.device_id && x.start_ns == y.start_ns;
}

}  // namespace

ViewState carried_state(const ViewState& state, const OpenRun& from, const OpenRun& to) {
  ViewState carried = state;
  carried.row.reset();
  carried.launch.reset();
  if (!state.row || *state.row >= from.analysis.rows.size()) return carried;
  const analysis::KernelRow& row = from.analysis.rows[*state.row];
  const auto found = std::ranges::find_if(
      to.analysis.rows, [&](const analysis::KernelRow& other) { return is_same(row, other); });
  if (found == to.analysis.rows.end()) return carried;
  carried.row = static_cast<std::size_t>(found - to.analysis.rows.begin());
  if (!state.launch || *state.launch >= from.launches.size()) return carried;
  for (std::size_t i = 0; i < to.launches.size(); ++i) {
    if (to.launches.row[i] == *carried.row && is_same_launch(from, *state.launch, to, i)) {
      carried.launch = i;
      break;
    }
  }
  return carried;
}

}  // namespace mansard::gui
