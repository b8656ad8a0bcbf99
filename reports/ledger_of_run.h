// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/explain/ledger.h"

namespace mansard::reports {

// The ledger of a typical step. Empty if the run has no GPU kernels, no kernel has known FLOPs or
// bytes, or no range matches the steps option.
std::optional<analysis::Ledger> ledger_of_run(const analysis::RunAnalysis& run);

}  // namespace mansard::reports
