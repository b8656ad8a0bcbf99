// SPDX-License-Identifier: Apache-2.0
// Names of memcpys and memsets, as written by PyTorch's profiler.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mansard::store {

struct CopyKinds {
  std::int32_t copy = 0;    // ENUM_CUDA_MEMCPY_OPER
  std::int32_t source = 7;  // ENUM_CUDA_MEM_KIND; 7: unknown
  std::int32_t destination = 7;
};
CopyKinds copy_kinds(std::string_view name);           // "Memcpy HtoD (Pageable -> Device)"
std::int32_t fill_memory_kind(std::string_view name);  // "Memset (Device)"

// The inverse of copy_kinds() and fill_memory_kind().
std::string copy_name(const CopyKinds& kinds);
std::string fill_name(std::int32_t memory_kind);

}  // namespace mansard::store
