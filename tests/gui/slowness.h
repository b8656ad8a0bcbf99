// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mansard::testing {

// How many times longer this machine takes at the moment than the one on which the limits of the
// tests were set (one core of a Xeon of 2.7 GHz that does nothing else); at least 1. Measured anew
// by each call, with some 10 ms of painting, sorting and reading of memory, the kinds of work that
// events do.
double slowness();

}  // namespace mansard::testing
