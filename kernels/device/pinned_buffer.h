// SPDX-License-Identifier: Apache-2.0
// Host memory accessible to the GPU: page-locked and mapped into its address space.
#pragma once

#include <cstddef>
#include <string>

#include <cuda_runtime_api.h>

#include "kernels/device/cuda_check.h"

namespace mansard::kernels {

template <typename T>
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t count) : count_(count) {
    cuda_check(cudaHostAlloc(reinterpret_cast<void**>(&data_), bytes(),
                             cudaHostAllocMapped | cudaHostAllocPortable),
               "allocate " + std::to_string(bytes()) + " bytes of pinned host memory");
  }
  ~PinnedBuffer() { cudaFreeHost(data_); }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;

  T* get() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  T& operator[](std::size_t i) const { return data_[i]; }

  // Address for kernels of the current device.
  T* on_device() const {
    T* pointer = nullptr;
    cuda_check(cudaHostGetDevicePointer(reinterpret_cast<void**>(&pointer), data_, 0),
               "map pinned host memory into the device");
    return pointer;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace mansard::kernels
