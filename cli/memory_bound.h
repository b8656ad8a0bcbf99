// SPDX-License-Identifier: Apache-2.0
// Bounds the memory of commands that read files: a few megabytes of compressed trace can expand to
// a thousand times as much, and must not exhaust the memory of the machine.
#pragma once

#include <cstdint>

namespace mansard::cli {

// Limits the writable private memory of this process to the environment variable MANSARD_MEMORY
// ("8G") or, if that is not set, to 80 % of the memory that is available now. Returns the limit in
// bytes. Allocations beyond it throw std::bad_alloc. Throws std::invalid_argument if MANSARD_MEMORY
// is not a size.
std::int64_t bound_memory();

}  // namespace mansard::cli
