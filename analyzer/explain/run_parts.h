// SPDX-License-Identifier: Apache-2.0
// A typical step of a run, split into the parts that the ledger needs.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/steps/typical_step.h"

namespace mansard::analysis {

struct KernelPart {
  const KernelRow* row = nullptr;
  std::size_t index = 0;  // of `row` in RunAnalysis::rows
  double time_s = 0;      // device time per step
  double launches = 0;    // per step
  double flop = 0;        // per step; 0: unknown
  // SOL time per step, without launch overhead, which shows as idle time. 0: unknown.
  double sol_s = 0;
};

struct RunParts {
  double step_s = 0;
  std::size_t steps = 0;  // number of typical steps on all devices
  std::string how;        // how the steps were found, as text
  bool whole = false;     // no steps found: the whole run counts as one step
  std::vector<KernelPart> gemms;
  std::map<OperationClass, std::vector<KernelPart>> classes;  // all others except collectives
  std::vector<KernelPart> communication;  // exposed, after all ranks have started
  std::vector<KernelPart> rank_wait;      // exposed, waiting for the last rank
  // Exposed synchronization of replicas, and the part of it in which its operations run.
  double replica_sync_s = 0;
  std::vector<KernelPart> replica_sync;
  double hidden_replica_sync_s = 0;  // not a part of the step
  double copies_s = 0;               // memcpy and memset while no kernel ran
  std::vector<KernelPart> memory;    // the operations of copies_s; their times add up to it
  double graphs_s = 0;               // CUDA graphs recorded without their kernels
  std::array<double, kIdleCauses> idle_s = {};
  std::optional<double> sm_clock_hz;  // mean of the samples in typical steps
};

// Returns means over the typical steps of all devices with kernels. Throws std::invalid_argument if
// the run has no kernels or no NVTX range with the step name of its options.
RunParts run_parts(const RunAnalysis& run);

double total_s(const std::vector<KernelPart>& parts);

// Exposed synchronization in which none of its operations runs: the host waits for other replicas.
double replica_wait_s(const RunParts& parts);

// Displayed name of a kernel: its short name and grid.
std::string part_label(const KernelPart& part);

}  // namespace mansard::analysis
