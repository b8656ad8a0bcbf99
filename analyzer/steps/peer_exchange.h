// SPDX-License-Identifier: Apache-2.0
// Exchange between GPUs by copies instead of kernels of NCCL: the copies, and the kernel that adds
// what has arrived in collectives by copy engines (kernels/distributed/copy_engine_exchange.h).
#pragma once

#include <string_view>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

inline constexpr std::string_view kAddExchangedKernel = "add_exchanged_pieces_kernel";

inline bool is_peer_exchange(const KernelRow& row) {
  return is_peer_copy(row) ||
         (row.kind == RowKind::kernel && row.short_name == kAddExchangedKernel);
}

}  // namespace mansard::analysis
