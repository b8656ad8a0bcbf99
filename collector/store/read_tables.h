// SPDX-License-Identifier: Apache-2.0
// Reads the tables of a database into the members of a profile. A missing table (other versions of
// Nsight Systems, profiles without a GPU) is read as empty.
#pragma once

#include "collector/store/profile.h"
#include "collector/store/record_packer.h"
#include "collector/store/row_reader.h"

namespace mansard::store {

// Appends the kernels of these rows, in file order.
void read_kernels(Database& database, RowIds& ids, RowSpan rows,
                  RecordPacker<KernelRecord>& kernels);

// Reads all timed records except kernels and NVTX events (range_part.h), and the GPUs.
void read_event_tables(Database& database, RowIds& ids, Profile& profile);
void read_strings(Database& database, RowIds& ids, Profile& profile);
// Reads work annotations, which refer to NVTX events, the records of training, and diagnostics.
void read_annotations(Database& database, RowIds& ids, Profile& profile);
void read_session(Database& database, Profile& profile);
// Reads GPU metrics of Nsight Systems. Call it after reading the strings, to which it adds metric
// names.
void read_nsight_gpu_metrics(Database& database, Profile& profile);

}  // namespace mansard::store
