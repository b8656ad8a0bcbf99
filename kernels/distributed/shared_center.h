// SPDX-License-Identifier: Apache-2.0
// The center of elastic averaging (EASGD, arXiv 1412.6651): weights in memory that all processes of
// this host share. Ranks exchange with it one at a time per part, each when it wants to.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/distributed/process_group.h"
#include "kernels/distributed/shared_memory.h"

namespace mansard::kernels {

class SharedCenter {
 public:
  // Elements that are locked at once: enough that copies of a part to a GPU run at full rate.
  static constexpr std::int64_t kPart = 1 << 21;

  // Collective: rank 0 creates the memory, the others open it. Throws std::runtime_error if the
  // ranks are on several hosts or memory is insufficient.
  SharedCenter(ProcessGroup& group, std::int64_t count);
  SharedCenter(const SharedCenter&) = delete;
  SharedCenter& operator=(const SharedCenter&) = delete;

  // Sets the center, before any exchange; by one rank.
  void set(const float* values);
  // While no rank exchanges.
  float* values() const { return values_; }
  std::int64_t bytes() const { return 4 * count_; }

  // Calls `exchange` for each part in turn, with its elements, the index of the first and their
  // number, while no other rank has that part.
  void for_each_part(
      const std::function<void(float* values, std::int64_t first, std::int64_t count)>& exchange);

 private:
  struct Part;  // its lock, in shared memory

  static std::int64_t header_bytes(std::int64_t count);

  std::int64_t count_;
  SharedMemory memory_;
  Part* parts_;
  float* values_;
};

}  // namespace mansard::kernels
