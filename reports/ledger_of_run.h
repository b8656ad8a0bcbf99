// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyzer/explain/ledger.h"

namespace mansard {

// Of a typical step. None where the run has no kernels on a device, no kernel's work is known, or
// no range has the name that steps were said to have.
std::optional<Ledger> ledger_of_run(const RunAnalysis& run);

}  // namespace mansard
