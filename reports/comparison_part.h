// SPDX-License-Identifier: Apache-2.0
// Two runs of the same work as a part of a report: the ledger of what one gains or loses against
// the other, then the two kernel by kernel.
#pragma once

#include "analyzer/explain/ledger.h"
#include "reports/report.h"

namespace mansard::reports {

// A comparison that is not possible (a run without kernels, no step range of that name) becomes a
// note of the part, with the reason.
ReportPart comparison_part(const analysis::RunAnalysis& baseline,
                           const analysis::RunAnalysis& candidate,
                           const analysis::ExplainOptions& options = {});

}  // namespace mansard::reports
