// SPDX-License-Identifier: Apache-2.0
// Measures how many instructions of a kind a core starts per cycle. No interface reports it, and
// CPUs of one family differ.
#pragma once

#include <functional>

#include "kernels/device/dot_loops.h"

namespace mansard::kernels {

// `run` executes `instructions` instructions in about 0.1 ms. Returns the best of about 80 ms of
// samples on the calling thread; 0 without a clock.
double instructions_per_cycle(double instructions, const std::function<void()>& run);

// Rounds a measured rate to a possible one: a whole number of units, or one unit that is busy for
// 2, 4, 8 or 16 cycles.
double whole_rate(double measured);

// Rate of the instruction of `loop`: as documented, otherwise measured once per process. Above 0.
double dot_rate(const DotLoop& loop);

}  // namespace mansard::kernels
