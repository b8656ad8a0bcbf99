// SPDX-License-Identifier: Apache-2.0
// A repeatable and verifiable copy between host and device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/device/device_buffer.h"
#include "kernels/device/hashed_array.cuh"
#include "kernels/device/pinned_buffer.h"

namespace mansard::kernels {

// About 5 ms at the 55 GB/s of a PCIe 5 x16 link.
inline constexpr std::int64_t kTransferBytes = std::int64_t{256} << 20;

// Memory from malloc: the driver copies it through its own pinned memory.
class PageableBuffer {
 public:
  explicit PageableBuffer(std::size_t count) : words_(count) {}
  std::uint32_t* get() { return words_.data(); }

 private:
  std::vector<std::uint32_t> words_;
};

enum class TransferDirection { to_device, to_host };

// `Host`: PageableBuffer or PinnedBuffer<std::uint32_t>.
template <typename Host, TransferDirection kDirection>
class HostTransfer {
 public:
  HostTransfer() { renew(); }

  void enqueue(cudaStream_t stream) {
    if constexpr (kDirection == TransferDirection::to_device) {
      copy(device_.get(), host_.get(), cudaMemcpyHostToDevice, stream);
    } else {
      copy(host_.get(), device_.get(), cudaMemcpyDeviceToHost, stream);
    }
  }

  // Writes new values to the source and clears the destination.
  void renew() {
    salt_ = hashed::fresh_salt();
    std::uint32_t* const host = host_.get();
    if constexpr (kDirection == TransferDirection::to_device) {
      for (std::int64_t i = 0; i < kCount; ++i) host[i] = expected(i);
      device_.fill_bytes(0xff);
    } else {
      for (std::int64_t i = 0; i < kCount; ++i) host[i] = ~0u;
      hashed::fill(device_.get(), kCount, salt_);
    }
    cuda_check(cudaDeviceSynchronize(), "fill the arrays of a transfer");
  }

  // Call after the transfer has ended; empty if every value arrived.
  std::string difference() {
    unsigned long long wrong = 0;
    if constexpr (kDirection == TransferDirection::to_device) {
      wrong = hashed::unequal(device_.get(), kCount, salt_);
    } else {
      const std::uint32_t* const host = host_.get();
      for (std::int64_t i = 0; i < kCount; ++i) wrong += host[i] != expected(i) ? 1 : 0;
    }
    return hashed::wrong_values(wrong, kCount);
  }

 private:
  static constexpr std::int64_t kCount = kTransferBytes / 4;

  std::uint32_t expected(std::int64_t i) const {
    return hashed::bits(static_cast<std::uint64_t>(i), salt_);
  }
  static void copy(void* to, const void* from, cudaMemcpyKind kind, cudaStream_t stream) {
    const cudaError_t status = cudaMemcpyAsync(to, from, kTransferBytes, kind, stream);
    if (status != cudaSuccess) cuda_check(status, "copy between host and device");
  }

  Host host_{static_cast<std::size_t>(kCount)};
  DeviceBuffer<std::uint32_t> device_{static_cast<std::size_t>(kCount)};
  std::uint32_t salt_ = 0;
};

}  // namespace mansard::kernels
