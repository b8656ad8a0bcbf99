// SPDX-License-Identifier: Apache-2.0
// Finds the fastest of many shapes and algorithms. A GPU's clock drops quickly under load, so
// contenders are compared in turns: first the algorithms of a shape, then the winners of the
// shapes.
#pragma once

#include <string>
#include <vector>

#include "kernels/ceilings/library/frame/gemm_runner.h"

namespace mansard::kernels::library {

struct TuningOptions {
  double warm_up_s = 0.1;
  // Number of back-to-back launches in one timed sample: events have a resolution of just below a
  // microsecond, and a short sample keeps the clock.
  double sample_s = 2e-3;
  // Shapes with a predicted time above this are skipped. Some formats are slow: FP64 on graphics
  // GPUs runs at 1/64 of the FP32 rate.
  double longest_launch_s = 20e-3;
  double limit_s = 2.5;  // no new contender starts after this
  double close = 0.97;   // relative to the best rate: contenders above it are timed again
  int final_rounds = 5;
};

struct Tuning {
  std::vector<Contender> winners;  // of each executed shape, in the order of the sweep
  Contender best;                  // fastest of the winners
  int candidates = 0;              // number of timed contenders
  int shapes_left_out = 0;         // too slow, past the limit, or without an algorithm
  double time_s = 0;
};

// The operands must contain the data pattern to be measured. Throws std::runtime_error if cuBLASLt
// has no algorithm for any shape of the plan, or lacks the algorithm that the plan names.
Tuning tune(const GemmRunner& runner, const SweepPlan& plan, const TuningOptions& options = {});

}  // namespace mansard::kernels::library
