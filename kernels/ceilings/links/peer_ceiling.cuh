// SPDX-License-Identifier: Apache-2.0
// Common parts of the NVLink ceilings: an array in a peer's memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/ceilings/links/peer.h"
#include "kernels/device/device_buffer.h"
#include "kernels/device/hashed_array.cuh"
#include "kernels/kernel.h"

namespace mansard::kernels {

class PeerCeiling : public PreparedKernel {
 public:
  Work work() const final {
    Work w;
    w.bytes[MemoryLevel::nvlink] = static_cast<double>(kBytes);
    return w;
  }
  std::map<std::string, std::string> parameters() const override {
    return {{"bytes", std::to_string(kBytes)}, {"peer_device", std::to_string(peer_)}};
  }

 protected:
  // About 3 ms at NVLink 4's 370 GB/s, and much larger than any L2.
  static constexpr std::int64_t kBytes = std::int64_t{1} << 30;
  static constexpr std::int64_t kCount = kBytes / 4;

  explicit PeerCeiling(const DeviceInfo& device)
      : device_(device.ordinal),
        peer_(required_peer(device)),
        access_(device_, peer_),
        remote_(allocate_on(peer_)) {}

  int device() const { return device_; }
  int peer() const { return peer_; }
  std::uint32_t* remote() const { return remote_.get(); }

  // Memory of the peer, filled and checked by the peer itself, so that the link is not involved.
  void fill_remote(std::uint32_t salt) const {
    const CurrentDevice use(peer_);
    hashed::fill(remote(), kCount, salt);
  }
  void poison_remote() {
    const CurrentDevice use(peer_);
    remote_.fill_bytes(0xff);
    cuda_check(cudaDeviceSynchronize(), "set a peer's memory");
  }
  std::string remote_difference(std::uint32_t salt) const {
    cuda_check(cudaDeviceSynchronize(), "write to a peer's memory");
    const CurrentDevice use(peer_);
    return hashed::wrong_values(hashed::unequal(remote(), kCount, salt), kCount);
  }

 private:
  static int required_peer(const DeviceInfo& device) {
    if (const std::optional<int> peer = nvlink_peer(device.ordinal)) return *peer;
    throw std::runtime_error("device " + std::to_string(device.ordinal) + " (" + device.name +
                             ") has no NVLink connection to another GPU");
  }
  static DeviceBuffer<std::uint32_t> allocate_on(int device) {
    const CurrentDevice use(device);
    return DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(kCount));
  }

  int device_;
  int peer_;
  PeerAccess access_;
  DeviceBuffer<std::uint32_t> remote_;
};

// The theoretical peak is unknown, because CUDA has no attribute for the number or rate of links.
template <typename Ceiling>
KernelSpec peer_spec(std::string name, std::string summary) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::nvlink;
  spec.fixed_pattern = hashed::kDescription;
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return nvlink_peer(device.ordinal) ? "" : "needs two GPUs with peer access over NVLink";
  };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions&) {
    return std::make_unique<Ceiling>(device);
  };
  return spec;
}

}  // namespace mansard::kernels
