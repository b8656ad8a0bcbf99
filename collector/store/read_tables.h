// SPDX-License-Identifier: Apache-2.0
// The tables of a database as records. A table or column that is not there (other versions of
// Nsight Systems, recordings without a GPU) reads as nothing or zero.
#pragma once

#include <limits>
#include <optional>
#include <stdexcept>

#include "collector/store/correlation_ids.h"
#include "collector/store/device_ids.h"
#include "collector/store/profile.h"
#include "collector/store/sqlite.h"

namespace mansard::store {

// What the numbers in a row of another tool's export mean among those of other processes.
struct RowIds {
  explicit RowIds(Database& database) : correlations(database), devices(database) {}
  CorrelationIds correlations;
  DeviceIds devices;
};

// Rows by number, both inclusive.
struct RowSpan {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

// Of a table, from its first to its last row; {1, 0} of one that is empty or not there.
RowSpan row_span(Database& database, const std::string& table);
// Added as they stand in the file.
void read_kernels(Database& database, RowIds& ids, RowSpan rows,
                  RecordPacker<KernelRecord>& kernels);

// GPUs, their copies, fills and state, calls.
void read_device_tables(Database& database, RowIds& ids, Profile& profile);
void read_counters(Database& database, Profile& profile);
void read_cuda_tables(Database& database, RowIds& ids, Profile& profile);
void read_text_tables(Database& database, Profile& profile);  // strings, NVTX, work, diagnostics
void read_session(Database& database, Profile& profile);
// Of Nsight Systems, after the strings, to which it adds the metrics' names.
void read_nsight_gpu_metrics(Database& database, Profile& profile);
void read_collectives(Database& database, Profile& profile);

// Text that says which time; of no file.
struct ImpossibleTime : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// ns. Throws ImpossibleTime for what no run can hold, and with what sums would overflow.
std::int64_t event_time(const Statement& row, int column);

// SELECT of `columns` in this order, with NULL for those that `table` lacks; of no rows without the
// table. `columns` may contain "rowid".
Statement select(Database& database, std::string_view table,
                 std::initializer_list<std::string_view> columns, std::string_view order_by = "",
                 std::optional<RowSpan> rows = {});

}  // namespace mansard::store
