// SPDX-License-Identifier: Apache-2.0
// What the reader of an analysis must know: each note is one or two sentences that say what is
// missing or assumed, and what to do about it.
#pragma once

#include "analyzer/attribution/work_shares.h"
#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// About the recording itself: interrupted, foreign, lost records, diagnostics of the collector.
void add_recording_notes(const store::Profile& profile, std::vector<std::string>& notes);

// About work annotations: what is not counted, what had to be assumed.
void add_annotation_notes(const store::Profile& profile, const Attribution& attribution,
                          const KernelNames& names, const std::vector<KernelShare>& shares,
                          const KernelRules& rules, std::vector<std::string>& notes);

// About the time in which counters were read: what it cost, and what is known of the rest.
void add_disturbance_notes(const RunAnalysis& run, std::vector<std::string>& notes);

// About the rows: missing ceilings, time without work.
void add_row_notes(const std::vector<KernelRow>& rows, std::vector<std::string>& notes);

}  // namespace mansard::analysis
