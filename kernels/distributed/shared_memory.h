// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "kernels/distributed/process_group.h"

namespace mansard::kernels {

// Memory that all ranks of a group share, if they are on one host: zeros at first. It has no name
// in the file system, so nothing is left if ranks are killed.
class SharedMemory {
 public:
  // Collective. Throws std::runtime_error on all ranks if one of them cannot map the memory, and
  // names what it is for: "the center".
  SharedMemory(ProcessGroup& group, std::int64_t bytes, const std::string& purpose);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  void* get() const { return memory_; }
  std::int64_t bytes() const { return bytes_; }

 private:
  void unmap();

  std::int64_t bytes_;
  void* memory_ = nullptr;
};

}  // namespace mansard::kernels
