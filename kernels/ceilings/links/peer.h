// SPDX-License-Identifier: Apache-2.0
// A second GPU whose memory is accessible over NVLink.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/device/cuda_check.h"

namespace mansard::kernels {

// Makes a device current until the end of the scope.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    cuda_check(cudaGetDevice(&previous_), "query the current device");
    cuda_check(cudaSetDevice(device), "use device " + std::to_string(device));
  }
  ~CurrentDevice() { cudaSetDevice(previous_); }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int previous_ = 0;
};

// Enables access of kernels on `device` to memory of `peer` until the end of the scope. If access
// was already enabled, it stays enabled.
class PeerAccess {
 public:
  PeerAccess(int device, int peer) : device_(device), peer_(peer) {
    const CurrentDevice use(device_);
    const cudaError_t status = cudaDeviceEnablePeerAccess(peer_, 0);
    if (status == cudaErrorPeerAccessAlreadyEnabled) {
      cudaGetLastError();
      return;
    }
    cuda_check(status, "enable access from device " + std::to_string(device_) +
                           " to the memory of device " + std::to_string(peer_));
    enabled_ = true;
  }
  ~PeerAccess() {
    if (!enabled_) return;
    int previous = 0;
    cudaGetDevice(&previous);
    cudaSetDevice(device_);
    cudaDeviceDisablePeerAccess(peer_);
    cudaSetDevice(previous);
  }
  PeerAccess(const PeerAccess&) = delete;
  PeerAccess& operator=(const PeerAccess&) = delete;

 private:
  int device_;
  int peer_;
  bool enabled_ = false;
};

// The devices with an NVLink connection to `device`, the next one first. CUDA does not report the
// link type, but atomic operations on a peer's memory exist over NVLink and not over PCI Express.
inline std::vector<int> nvlink_peers(int device) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) count = 0;
  std::vector<int> found;
  for (int step = 1; step < count; ++step) {
    const int peer = (device + step) % count;
    int reachable = 0;
    int atomics = 0;
    if (cudaDeviceCanAccessPeer(&reachable, device, peer) == cudaSuccess && reachable != 0 &&
        cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, device, peer) ==
            cudaSuccess &&
        atomics != 0) {
      found.push_back(peer);
    }
  }
  cudaGetLastError();  // without a driver or device there is no peer; not an error
  return found;
}

inline std::optional<int> nvlink_peer(int device) {
  const std::vector<int> peers = nvlink_peers(device);
  return peers.empty() ? std::nullopt : std::optional(peers.front());
}

}  // namespace mansard::kernels
