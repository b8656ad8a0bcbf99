// SPDX-License-Identifier: Apache-2.0
// The clock a core runs at now, without counters or privileges.
#pragma once

namespace mansard {

// Times a chain of dependent register-to-register additions, one cycle each, against the monotonic
// clock, for about 0.1 ms. Called right after vector code, it sees the clock that code ran at: a
// core keeps a lowered AVX-512 frequency for about 0.7 ms after the last wide instruction ("The
// Cost of AVX-512 frequency scaling", travisdowns.github.io, 2020). 0 on an architecture without
// the chain.
double measure_core_clock_hz();

}  // namespace mansard
