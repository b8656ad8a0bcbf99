// SPDX-License-Identifier: Apache-2.0
// Number of vector FMA instructions that a core starts per cycle.
#pragma once

#include "kernels/device/instruction_set.h"

namespace mansard::kernels {

// Measured once per process on one thread, as FMA instructions per core cycle, because no interface
// reports it and CPUs of one family differ (some Xeons have one 512-bit unit, others two). For a
// set without FMA: multiplications followed by additions. At least 1.
int fma_units(InstructionSet set);

}  // namespace mansard::kernels
