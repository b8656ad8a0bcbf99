// SPDX-License-Identifier: Apache-2.0
// Tables of a goodput finding. Times of a run are numbers in hours, times of checkpoints in
// minutes.
#pragma once

#include "analyzer/goodput/goodput_changes.h"
#include "analyzer/goodput/goodput_finding.h"

namespace mansard::analysis {

Table result_table(const GoodputJob& job, const Goodput& goodput);
// Parts, and their sum: the wall time.
Table overhead_table(const Goodput& goodput);
// These shares as stacked bars: of the job, and of the job with each of at most `most` changes.
Table split_table(const Goodput& goodput, const std::vector<GoodputChange>& changes,
                  std::size_t most);
Table changes_table(const std::vector<GoodputChange>& changes);
// Optimum, Daly's and Young's intervals, and the one of the job.
Table intervals_table(const GoodputJob& job);
// Goodput over intervals around the one of the job.
Table sweep_table(const GoodputJob& job);
// Full and partial recovery, each with synchronization in foreground and background.
Table alternatives_table(const GoodputJob& job);
// Exact expectation, first order and simulation.
Table simulation_table(const GoodputJob& job, const Goodput& goodput,
                       const SimulatedGoodput& simulated);
Table simulated_parts_table(const GoodputJob& job, const Goodput& goodput,
                            const SimulatedGoodput& simulated);
Table inputs_table(const std::vector<GoodputInput>& inputs);

}  // namespace mansard::analysis
