// SPDX-License-Identifier: Apache-2.0
// The goodput of a job as a finding, for every output format.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/goodput/goodput_chain.h"
#include "analyzer/goodput/simulate_goodput.h"

namespace mansard::analysis {

struct GoodputInput {
  std::string name;
  std::string value;                  // with unit
  std::string source;                 // "given", "measured", "predicted", "assumed: why"
  std::optional<double> amount = {};  // in the unit of `value`; empty: a choice
};

struct GoodputStudy {
  std::string name;  // "llama3-8b in nvfp4 on 512 GB200"
  GoodputJob job;
  std::vector<GoodputInput> inputs;
  // The step of the job, if it was predicted.
  std::optional<StepPrediction> prediction;
  std::optional<TargetMachine> machine;
  std::optional<SimulationOptions> simulation;  // empty: none
};

// Goodput, its time by cause, the chain from peak to goodput, the changes that raise it most,
// checkpoint intervals, kinds of recovery and synchronization, and the simulation. Throws
// std::runtime_error like expected_goodput() and simulate_goodput().
Finding goodput_finding(const GoodputStudy& study);

}  // namespace mansard::analysis
