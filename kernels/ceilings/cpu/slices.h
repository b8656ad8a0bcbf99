// SPDX-License-Identifier: Apache-2.0
// The working set of a bandwidth kernel: each thread has its own contiguous part of each array.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/ceilings/cpu/fill.h"
#include "kernels/device/host_memory.h"
#include "kernels/device/vector_loops.h"

namespace mansard::kernels {

class Slices {
 public:
  // Throws std::runtime_error if the total leaves less than a loop's granule per thread and array,
  // or if it cannot be allocated.
  Slices(int threads, int arrays, std::int64_t total_bytes, Pages pages) : arrays_(arrays) {
    array_bytes_ = total_bytes / threads / arrays / kLoopGranuleBytes * kLoopGranuleBytes;
    if (array_bytes_ <= 0) {
      throw std::runtime_error("a working set of " + std::to_string(total_bytes) +
                               " bytes is too small for " + std::to_string(threads) +
                               " threads; it must be at least " +
                               std::to_string(threads * arrays * kLoopGranuleBytes));
    }
    const std::int64_t bytes = arrays * (array_bytes_ + kPaddingBytes);
    for (int i = 0; i < threads; ++i) {
      buffers_.emplace_back(static_cast<std::size_t>(bytes), pages);
    }
  }

  double* array(int thread, int index) const {
    std::byte* const base = buffers_[static_cast<std::size_t>(thread)].data();
    return reinterpret_cast<double*>(base + index * (array_bytes_ + kPaddingBytes));
  }

  // Elements of one array of one thread.
  std::int64_t elements() const { return array_bytes_ / static_cast<std::int64_t>(sizeof(double)); }

  double total_bytes() const {
    return static_cast<double>(array_bytes_) * arrays_ * static_cast<double>(buffers_.size());
  }

  // A unique index for each element of the working set.
  std::uint64_t number(int thread, int index, std::int64_t element) const {
    return static_cast<std::uint64_t>(thread * arrays_ + index) << 40 |
           static_cast<std::uint64_t>(element);
  }

  double value(std::uint64_t seed, int thread, int index, std::int64_t element) const {
    return uniform_value(seed, number(thread, index, element));
  }

  // The first touch places a page on a NUMA node, so it must be by a thread on that node.
  void fill(std::uint64_t seed, int thread, int index) const {
    double* const data = array(thread, index);
    for (std::int64_t i = 0; i < elements(); ++i) data[i] = value(seed, thread, index, i);
  }

  const PageBuffer& buffer(int thread) const { return buffers_[static_cast<std::size_t>(thread)]; }

 private:
  // Arrays whose sizes are multiples of 4 KiB would have equal low address bits, and a load that
  // shares its low 12 bits with an older store waits for that store.
  static constexpr std::int64_t kPaddingBytes = 256;

  int arrays_;
  std::int64_t array_bytes_ = 0;
  std::vector<PageBuffer> buffers_;
};

}  // namespace mansard::kernels
