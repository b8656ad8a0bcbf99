// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/explain/ledger.h"

namespace mansard::reports {

// Of a typical step. None where the run has no kernels on a device, no kernel's work is known, or
// no range has the name that steps were said to have.
std::optional<analysis::Ledger> ledger_of_run(const analysis::RunAnalysis& run);

}  // namespace mansard::reports
