// SPDX-License-Identifier: Apache-2.0
// The current clock of a core, measured without counters or privileges.
#pragma once

#include <functional>

namespace mansard::kernels {

// Times chains of dependent register-to-register additions, one cycle each, with the monotonic
// clock. Call it directly after vector code to measure the clock during that code. A core may
// return to its higher clock within 2 us of the last wide instruction (seen on an Intel Xeon after
// AVX-512 at 3.76 and AMX at 3.46 of 3.90 GHz; docs/method-cpu.md), though others keep the lower
// one for 0.7 ms ("The Cost of AVX-512 frequency scaling", travisdowns.github.io, 2020), so a chain
// lasts 1.5 us. Returns 0 on architectures without the chain.
//
// `load` runs such code for some microseconds. The result is then the median of five chains, each
// directly after a load. Without it the first chain counts, unless later ones show that it was
// interrupted.
double measure_core_clock_hz(const std::function<void()>& load = {});

}  // namespace mansard::kernels
