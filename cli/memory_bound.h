// SPDX-License-Identifier: Apache-2.0
// A file that needs more memory than the machine has ends the command, not the machine: a few
// megabytes of compressed trace can hold a thousand times as much.
#pragma once

#include <cstdint>

namespace mansard {

// Lets this process allocate at most MANSARD_MEMORY ("8G"), or 80 % of what is available to it now,
// and returns the bound in bytes. Beyond it, allocations throw std::bad_alloc. Throws
// std::invalid_argument for a variable that is no size.
std::int64_t bound_memory();

}  // namespace mansard
