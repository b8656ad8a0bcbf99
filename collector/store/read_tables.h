// SPDX-License-Identifier: Apache-2.0
// The tables of a database as records. A table or column that is not there (other versions of
// Nsight Systems, recordings without a GPU) reads as nothing or zero.
#pragma once

#include "collector/store/profile.h"
#include "collector/store/sqlite.h"

namespace mansard {

void read_device_tables(Database& database, Profile& profile);  // GPUs, their work and state, calls
void read_counters(Database& database, Profile& profile);
void read_cuda_tables(Database& database, Profile& profile);
void read_text_tables(Database& database, Profile& profile);    // strings, NVTX, work, diagnostics
void read_session(Database& database, Profile& profile);

// SELECT of `columns` in this order, with NULL for those that `table` lacks; of no rows without the
// table. `columns` may contain "rowid".
Statement select(Database& database, std::string_view table,
                 std::initializer_list<std::string_view> columns, std::string_view order_by = "");

}  // namespace mansard
