// SPDX-License-Identifier: Apache-2.0
// Limits the memory of commands that read files: a few megabytes of compressed trace can expand by
// a factor of 1000 and must not exhaust the machine's memory.
#pragma once

#include <cstdint>

namespace mansard::cli {

// Limits the writable private memory of this process to the environment variable MANSARD_MEMORY
// ("8G") or, if that is not set, to 80 % of the memory available now. Returns the limit in
// bytes. Allocations beyond it throw std::bad_alloc. Throws std::invalid_argument if MANSARD_MEMORY
// is not a size.
std::int64_t limit_process_memory();

}  // namespace mansard::cli
