// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rows_of_kernels.h"

namespace mansard::analysis {

namespace {

std::vector<std::size_t> rows_of(const RunAnalysis& run, RowKind kind, std::size_t records) {
  std::vector<std::size_t> rows(records, kNoRow);
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    const KernelRow& row = run.rows[i];
    if (row.kind != kind) continue;
    for (const std::size_t record : row.launch_indices) rows[record] = i;
    for (const std::size_t record : row.disturbed_indices) rows[record] = i;
  }
  return rows;
}

}  // namespace

std::vector<std::size_t> rows_of_kernels(const RunAnalysis& run) {
  return rows_of(run, RowKind::kernel, run.profile.kernels.size());
}

RowsOfRecords::RowsOfRecords(const RunAnalysis& run)
    : kernels_(rows_of_kernels(run)),
      memcpys_(rows_of(run, RowKind::memcpy, run.profile.memcpys.size())),
      memsets_(rows_of(run, RowKind::memset, run.profile.memsets.size())) {}

std::size_t RowsOfRecords::of(const DeviceActivity& activity) const {
  switch (activity.kind) {
    case ActivityKind::copy:
      return memcpys_[activity.index];
    case ActivityKind::fill:
      return memsets_[activity.index];
    case ActivityKind::graph:
      return kNoRow;
    case ActivityKind::communication:
    case ActivityKind::compute:
      return kernels_[activity.index];
  }
  return kNoRow;
}

}  // namespace mansard::analysis
