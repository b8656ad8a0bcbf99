// SPDX-License-Identifier: Apache-2.0
// Row files: some rows of tables, between full checkpoints. A row file is a checkpoint whose
// tensors have the names of whole tables, but only the rows that its tensor "rows" (I32, ascending)
// lists.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "kernels/training/checkpoint.h"

namespace mansard::kernels {

// `tables`: whole matrices in FP32, in the backend's memory, with an equal number of rows. `rows`
// is ascending. On the host, the chosen rows of one table at a time are in memory. Replaces `file`
// and throws as write_checkpoint() does.
void write_rows(const std::filesystem::path& file, const CheckpointInfo& info,
                const std::vector<CheckpointTensor>& tables, const std::vector<std::int32_t>& rows,
                Backend& backend);

// Replaces the rows that the file has, whatever their number, after the whole file has been
// checked. Throws as read_checkpoint() does.
CheckpointInfo read_rows(const std::filesystem::path& file, const CheckpointInfo& expected,
                         const std::vector<CheckpointTensor>& tables, Backend& backend);

}  // namespace mansard::kernels
