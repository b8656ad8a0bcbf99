// SPDX-License-Identifier: Apache-2.0
// The time-based roofline from kernel to goodput: the time of one step at the machine's peak, and
// all that is added until the wall time per completed step. Each row is a time, and as model FLOPs
// over that time a rate: from the peak over MFU to goodput.
#pragma once

#include "analyzer/explain/ledger.h"
#include "analyzer/goodput/goodput.h"
#include "analyzer/goodput/goodput_job.h"
#include "analyzer/predict/step_prediction.h"

namespace mansard::analysis {

struct GoodputChain {
  // Times per step; ideal_s = baseline_s, so a row's speed_up is its fraction of the first row.
  Ledger ledger;
  double flop = 0;         // model FLOPs per step and GPU; 0 if the step time was given
  std::string first_row;   // label of ideal_s
  std::string first_text;  // meaning of ideal_s
};

// `prediction`, for `machine`: the step whose time is that of the job; both null if the step time
// was given: the chain then starts at the step. The parts of the step are means over pipeline
// stages.
GoodputChain goodput_chain(const GoodputJob& job, const Goodput& goodput,
                           const StepPrediction* prediction, const TargetMachine* machine);

// Rows: the first time, each cause, and the wall time per step, to which they add up.
Table chain_table(const GoodputChain& chain);

}  // namespace mansard::analysis
