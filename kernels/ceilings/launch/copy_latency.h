// SPDX-License-Identifier: Apache-2.0
// Latency of the smallest copy: repeated cudaMemcpyAsync of four bytes, each waited for.
#pragma once

#include <random>
#include <sstream>

#include "kernels/ceilings/launch/overhead_ceiling.h"
#include "kernels/device/device_buffer.h"
#include "kernels/device/pinned_buffer.h"

namespace mansard::kernels {

template <cudaMemcpyKind kKind>
class CopyLatency : public OverheadCeiling {
 public:
  CopyLatency() : OverheadCeiling("copies", 200) {}

  void launch(void* stream) override {
    repeat("copy four bytes", [&] { return copy_and_wait(static_cast<cudaStream_t>(stream)); });
  }

  // Uses a new word each time, which must have arrived when the wait returns.
  std::string verify() override {
    std::random_device fresh;
    for (int i = 0; i < 16; ++i) {
      const unsigned sent = fresh();
      set(source(), sent);
      set(destination(), ~sent);
      cuda_check(copy_and_wait(nullptr), "copy four bytes");
      const unsigned arrived = value(destination());
      if (arrived == sent) continue;
      std::ostringstream text;
      text << "copy " << i << " delivered " << arrived << ", expected " << sent;
      return text.str();
    }
    return "";
  }

  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> p = OverheadCeiling::parameters();
    p["bytes"] = "4";
    if (kKind != cudaMemcpyDeviceToDevice) p["host_memory"] = "pinned";
    return p;
  }

 private:
  unsigned* source() const { return kKind == cudaMemcpyHostToDevice ? host_.get() : device_.get(); }
  unsigned* destination() const {
    if (kKind == cudaMemcpyDeviceToHost) return host_.get();
    return kKind == cudaMemcpyHostToDevice ? device_.get() : device_.get() + kSecond;
  }
  cudaError_t copy_and_wait(cudaStream_t stream) const {
    const cudaError_t status =
        cudaMemcpyAsync(destination(), source(), sizeof(unsigned), kKind, stream);
    return status == cudaSuccess ? cudaStreamSynchronize(stream) : status;
  }

  // The host word is accessed directly, as a program would do.
  void set(unsigned* word, unsigned to) const {
    if (word == host_.get()) {
      *static_cast<volatile unsigned*>(word) = to;
    } else {
      cuda_check(cudaMemcpy(word, &to, sizeof to, cudaMemcpyHostToDevice), "set a device word");
    }
  }
  unsigned value(const unsigned* word) const {
    if (word == host_.get()) return *static_cast<const volatile unsigned*>(word);
    unsigned read = 0;
    cuda_check(cudaMemcpy(&read, word, sizeof read, cudaMemcpyDeviceToHost), "read a device word");
    return read;
  }

  static constexpr int kSecond = 1024;  // words between source and destination of a device copy
  PinnedBuffer<unsigned> host_{1};
  DeviceBuffer<unsigned> device_{kSecond + 1};
};

}  // namespace mansard::kernels
