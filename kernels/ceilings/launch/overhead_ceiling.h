// SPDX-License-Identifier: Apache-2.0
// Common parts of the API overhead ceilings. Each repeats one operation many times, timed by the
// wall clock from an idle stream to an idle stream. The time includes the final wait, so a launch
// consists of many operations.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <cuda_runtime_api.h>

#include "kernels/device/cuda_check.h"
#include "kernels/kernel.h"

namespace mansard::kernels {

class OverheadCeiling : public PreparedKernel {
 public:
  OverheadCeiling(std::string counted, int operations)
      : counted_(std::move(counted)), operations_(operations) {}

  Work work() const final {
    Work w;
    w.operations = operations_;
    return w;
  }
  std::map<std::string, std::string> parameters() const override {
    return {{counted_, std::to_string(operations_)}};
  }

 protected:
  int operations() const { return operations_; }

  std::string count_difference(unsigned done) const {
    if (done == static_cast<unsigned>(operations_)) return "";
    return std::to_string(done) + " of " + std::to_string(operations_) + " " + counted_ + " ran";
  }

  // Checks every call, but builds no message on success, because building a string costs as much as
  // part of the timed operation.
  template <typename Operation>
  void repeat(const char* attempted, Operation operation) const {
    for (int i = 0; i < operations_; ++i) {
      const cudaError_t status = operation();
      if (status != cudaSuccess) cuda_check(status, attempted);
    }
  }

 private:
  std::string counted_;  // "launches"
  int operations_;
};

template <typename Ceiling>
KernelSpec overhead_spec(std::string name, std::string summary, Overhead overhead) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.role = KernelRole::overhead_ceiling;
  spec.overhead = overhead;
  spec.unsupported = [](const DeviceInfo&) -> std::string { return ""; };
  spec.prepare = [](const DeviceInfo&, const PrepareOptions&) {
    return std::make_unique<Ceiling>();
  };
  return spec;
}

}  // namespace mansard::kernels
