// SPDX-License-Identifier: Apache-2.0
// The fastest of many shapes and algorithms. Under load a GPU's clock falls from one moment to the
// next, so contenders are compared in turns: the algorithms of a shape among themselves, then the
// shapes' winners among themselves.
#pragma once

#include <string>
#include <vector>

#include "kernels/ceilings/library/frame/gemm_runner.h"

namespace mansard::kernels::library {

struct TuningOptions {
  double warm_up_s = 0.1;
  // Of back-to-back launches that are timed at once: events tell less than a microsecond apart, and
  // a short sample keeps the clock.
  double sample_s = 2e-3;
  // Shapes that are predicted to take longer add nothing but waiting, and slow formats exist: FP64
  // on a GPU for graphics runs at a 64th of its FP32 rate.
  double longest_launch_s = 20e-3;
  double limit_s = 2.5;  // no new contender is started after this
  double close = 0.97;   // of the best rate: what is timed a second time
  int final_rounds = 5;
};

struct Tuning {
  std::vector<Contender> winners;  // of each shape that was run, in the sweep's order
  Contender best;                  // of them
  int candidates = 0;              // timed
  int shapes_left_out = 0;         // too slow, past the limit, or without an algorithm
  double time_s = 0;
};

// The operands must be filled with what the rate is wanted for. Throws std::runtime_error when
// cuBLASLt has no algorithm for any of the plan's shapes, or not the one that the plan names.
Tuning tune(const GemmRunner& runner, const SweepPlan& plan, const TuningOptions& options = {});

}  // namespace mansard::kernels::library
