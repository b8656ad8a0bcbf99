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

}  // namespace

ViewState carried_state(const ViewState& state, const OpenRun& from, const OpenRun& to) {
  ViewState carried{state.filter, std::nullopt, std::nullopt};
  if (!state.row || *state.row >= from.analysis.rows.size()) return carried;
  const analysis::KernelRow& row = from.analysis.rows[*state.row];
  const auto found = std::ranges::find_if(
      to.analysis.rows, [&](const analysis::KernelRow& other) { return is_same(row, other); });
  if (found == to.analysis.rows.end()) return carried;
  carried.row = static_cast<std::size_t>(found - to.analysis.rows.begin());
  if (!state.launch || *state.launch >= from.launches.size()) return carried;
  for (std::size_t i = 0; i < to.launches.size(); ++i) {
    if (to.launches.start_ns[i] != from.launches.start_ns[*state.launch]) continue;
    if (to.launches.row[i] == *carried.row) carried.launch = i;
  }
  return carried;
}

}  // namespace mansard::gui
