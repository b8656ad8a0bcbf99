// SPDX-License-Identifier: Apache-2.0
// A parallel loop over independent pieces of work on all cores available to this process.
#pragma once

#include <cstdint>
#include <functional>

namespace mansard::kernels {

// Calls body(i) once for each i in [0, count), on up to `threads` threads (0: all cores). Pieces
// are scheduled dynamically, so their cost may vary. `body` must not throw.
void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body,
                  int threads = 0);

}  // namespace mansard::kernels
