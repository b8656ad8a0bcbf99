// SPDX-License-Identifier: Apache-2.0
// The report part that compares two runs of the same work: the ledger of the time difference, the
// loss gap if both recorded their training, then a comparison by kernel.
#pragma once

#include "analyzer/explain/ledger.h"
#include "reports/report.h"

namespace mansard::reports {

// If the runs cannot be compared (a run without kernels, no step range of that name), the part has
// a note with the reason.
ReportPart comparison_part(const analysis::RunAnalysis& baseline,
                           const analysis::RunAnalysis& candidate,
                           const analysis::ExplainOptions& options = {});

}  // namespace mansard::reports
