// SPDX-License-Identifier: Apache-2.0
// How many instructions of a kind a core starts each cycle, measured: no interface tells, and CPUs
// of one family differ.
#pragma once

#include <functional>

#include "kernels/device/dot_loops.h"

namespace mansard::kernels {

// `run` starts `instructions` of them, for about 0.1 ms. The best of some 80 ms on the calling
// thread; 0 without a clock to measure by.
double instructions_per_cycle(double instructions, const std::function<void()>& run);

// Of a measured rate, what the hardware's must be: a whole number of units, or one unit busy for 2,
// 4, 8 or 16 cycles.
double whole_rate(double measured);

// The instruction of `loop`: as documented, else measured once in a process. Above 0.
double dot_rate(const DotLoop& loop);

}  // namespace mansard::kernels
