// SPDX-License-Identifier: Apache-2.0
// Notes: caveats of an analysis. Each is one or two sentences on what is missing or assumed and
// what the user can do about it.
#pragma once

#include "analyzer/attribution/work_shares.h"
#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// The recording: interrupted, by another tool, dropped records, diagnostics of the collector.
void add_recording_notes(const store::Profile& profile, std::vector<std::string>& notes);

// Work annotations: work that is not counted, assumptions.
void add_annotation_notes(const store::Profile& profile, const Attribution& attribution,
                          const KernelNames& names, const std::vector<KernelShare>& shares,
                          const KernelRules& rules, std::vector<std::string>& notes);

// Time in which counters were read, and values that are not available because of it.
void add_disturbance_notes(const RunAnalysis& run, std::vector<std::string>& notes);

// Rows: time per unit (RunUnit) without known work, missing ceilings, where work is from.
void add_row_notes(const RunAnalysis& run, std::vector<std::string>& notes);

}  // namespace mansard::analysis
