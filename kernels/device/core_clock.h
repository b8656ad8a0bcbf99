// SPDX-License-Identifier: Apache-2.0
// The clock a core runs at now, without counters or privileges.
#pragma once

namespace mansard {

// Times a chain of dependent register-to-register additions, one cycle each, against the monotonic
// clock. Called right after vector code, it sees the clock that code ran at, for a short chain
// only: a core may go back to its higher clock within 2 us of the last wide instruction (seen on an
// Intel Xeon after AVX-512 at 3.76 and AMX at 3.46 of 3.90 GHz; docs/method-cpu.md), though others
// keep the lower one for 0.7 ms ("The Cost of AVX-512 frequency scaling", travisdowns.github.io,
// 2020). 0 on an architecture without the chain.
double measure_core_clock_hz();

}  // namespace mansard
