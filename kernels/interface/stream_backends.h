// SPDX-License-Identifier: Apache-2.0
// The backends of one device, by the caller's streams.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "kernels/recipes/backend.h"

namespace mansard::kernels {

class StreamBackends {
 public:
  static constexpr int kCpu = -1;

  // Those of a CUDA device or of the CPU, shared while somebody holds them. Throws
  // std::invalid_argument if there is no such device, std::runtime_error if it cannot be used.
  static std::shared_ptr<StreamBackends> of(int device);

  // To be held during all other calls, and while a backend is used.
  std::mutex& mutex() { return mutex_; }

  // The backend that enqueues on this stream, a cudaStream_t; on the CPU the stream must be null.
  // The first call for a stream synchronizes with the device.
  Backend& on(void* stream);
  // For work outside of the caller's streams.
  Backend& own() { return *own_; }

  bool is_cpu() const { return device_.target == Target::host; }

  // Makes the device the current one of the calling thread, and afterwards the previous one.
  class Current {
   public:
    explicit Current(const StreamBackends& backends);
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    [[maybe_unused]] int previous_ = kCpu;
  };

 private:
  explicit StreamBackends(const DeviceInfo& device) : device_(device) {}

  std::mutex mutex_;
  DeviceInfo device_;
  std::unique_ptr<Backend> own_;
  std::map<void*, std::unique_ptr<Backend>> by_stream_;
};

}  // namespace mansard::kernels
