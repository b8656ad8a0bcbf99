// SPDX-License-Identifier: Apache-2.0
// How many vector FMA instructions a core starts each cycle.
#pragma once

#include "kernels/device/instruction_set.h"

namespace mansard::kernels {

// Measured once in a process, by one thread, as FMA instructions per core cycle: no interface
// tells, and CPUs of one family differ (some Xeons have one 512-bit unit, others two). For a set
// without FMA, multiplications followed by additions. At least 1.
int fma_units(InstructionSet set);

}  // namespace mansard::kernels
