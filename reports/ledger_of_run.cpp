// SPDX-License-Identifier: Apache-2.0
#include "reports/ledger_of_run.h"

#include <stdexcept>

namespace mansard::reports {

std::optional<analysis::Ledger> ledger_of_run(const analysis::RunAnalysis& run) {
  try {
    analysis::Ledger ledger = analysis::explain_run(run);
    // Without SOL time there is nothing to compare with.
    if (ledger.ideal_s > 0) return ledger;
  } catch (const std::invalid_argument&) {
    // No GPU kernels, or no range matches the steps option: the run has no ledger.
  }
  return std::nullopt;
}

}  // namespace mansard::reports
