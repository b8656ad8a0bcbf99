// SPDX-License-Identifier: Apache-2.0
// What the ceilings of the host's interface share. Each does one operation many times and is timed
// by the wall clock from an idle stream to an idle stream; the last wait belongs to that time, so
// that the operations of one launch are many.
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

  // Checks as it goes, but builds no message while all is well: a string costs as much as a part of
  // what is timed.
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
