// SPDX-License-Identifier: Apache-2.0
// Device memory with scoped ownership.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/device/cuda_check.h"

namespace mansard::kernels {

template <typename T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    cuda_check(cudaMalloc(reinterpret_cast<void**>(&data_), bytes()),
               "allocate " + std::to_string(bytes()) + " bytes of device memory");
  }
  explicit DeviceBuffer(const std::vector<T>& host) : DeviceBuffer(host.size()) {
    cuda_check(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice),
               "copy to the device");
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    swap(other);
    return *this;
  }

  T* get() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

  std::vector<T> to_host() const {
    std::vector<T> host(count_);
    cuda_check(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost),
               "copy from the device");
    return host;
  }
  // Sets every byte to `value`; used to poison results before a kernel is checked.
  void fill_bytes(int value) { cuda_check(cudaMemset(data_, value, bytes()), "set device memory"); }

 private:
  void swap(DeviceBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
  }

  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace mansard::kernels
