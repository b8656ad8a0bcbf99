// SPDX-License-Identifier: Apache-2.0
// The tables of a database as the members of a profile. A table that is missing (other versions of
// Nsight Systems, recordings without a GPU) is read as an empty one.
#pragma once

#include "collector/store/profile.h"
#include "collector/store/record_packer.h"
#include "collector/store/row_reader.h"

namespace mansard::store {

// Appends the kernels of these rows in the order of the file.
void read_kernels(Database& database, RowIds& ids, RowSpan rows,
                  RecordPacker<KernelRecord>& kernels);

// Everything with times but kernels and NVTX events, and the GPUs.
void read_event_tables(Database& database, RowIds& ids, Profile& profile);
// Strings, NVTX events, work annotations, diagnostics.
void read_text_tables(Database& database, RowIds& ids, Profile& profile);
void read_session(Database& database, Profile& profile);
// GPU metrics of Nsight Systems; after the strings, to which it adds the metrics' names.
void read_nsight_gpu_metrics(Database& database, Profile& profile);

}  // namespace mansard::store
