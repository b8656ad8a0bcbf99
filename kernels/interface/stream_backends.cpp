// SPDX-License-Identifier: Apache-2.0
#include "kernels/interface/stream_backends.h"

#include <stdexcept>
#include <string>

#if MANSARD_HAVE_CUDA
#include "kernels/device/cuda_check.h"
#endif

namespace mansard::kernels {
namespace {

DeviceInfo device_of(int ordinal) {
  // The CPU backend needs no properties of the CPU.
  if (ordinal == StreamBackends::kCpu) return {};
  const std::vector<DeviceInfo> devices = cuda_devices();
  for (const DeviceInfo& device : devices) {
    if (device.ordinal == ordinal) return device;
  }
  const std::string reason = devices.empty()
                                 ? cuda_unavailable_reason()
                                 : "there are " + std::to_string(devices.size()) + " devices";
  throw std::invalid_argument("cannot use CUDA device " + std::to_string(ordinal) + ": " + reason);
}

}  // namespace

#if MANSARD_HAVE_CUDA

StreamBackends::Current::Current(const StreamBackends& backends) {
  if (backends.is_cpu()) return;
  cuda_check(cudaGetDevice(&previous_), "read the current CUDA device");
  cuda_check(cudaSetDevice(backends.device_.ordinal),
             "use CUDA device " + std::to_string(backends.device_.ordinal));
}

StreamBackends::Current::~Current() {
  if (previous_ != kCpu) cudaSetDevice(previous_);
}

#else

StreamBackends::Current::Current(const StreamBackends&) {}
StreamBackends::Current::~Current() = default;

#endif

std::shared_ptr<StreamBackends> StreamBackends::of(int device) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<StreamBackends>> all;
  const std::lock_guard lock(mutex);
  if (std::shared_ptr<StreamBackends> existing = all[device].lock()) return existing;
  const std::shared_ptr<StreamBackends> made(new StreamBackends(device_of(device)));
  const Current current(*made);
  made->own_ = make_backend(made->device_);
  all[device] = made;
  return made;
}

Backend& StreamBackends::on(void* stream) {
  if (is_cpu()) {
    if (stream == nullptr) return *own_;
    throw std::invalid_argument("the CPU has no streams; pass null");
  }
#if MANSARD_HAVE_CUDA
  // A null stream would mark the CPU (Backend::cuda_stream()).
  if (stream == nullptr) stream = cudaStreamLegacy;
#endif
  std::unique_ptr<Backend>& backend = by_stream_[stream];
  if (backend == nullptr) backend = make_cuda_backend(device_, stream);
  return *backend;
}

}  // namespace mansard::kernels
