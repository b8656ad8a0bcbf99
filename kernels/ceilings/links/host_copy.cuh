// SPDX-License-Identifier: Apache-2.0
// Ceilings of the host link with one cudaMemcpyAsync in one direction.
#pragma once

#include "kernels/ceilings/links/host_link.h"
#include "kernels/ceilings/links/host_transfer.cuh"

namespace mansard::kernels {

template <typename Host, TransferDirection kDirection>
class HostCopy : public PreparedKernel {
 public:
  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::pcie] = static_cast<double>(kTransferBytes);
    return w;
  }
  void launch(void* stream) override { transfer_.enqueue(static_cast<cudaStream_t>(stream)); }
  std::string verify() override {
    transfer_.renew();
    launch(nullptr);
    cuda_check(cudaStreamSynchronize(nullptr), "copy between host and device");
    return transfer_.difference();
  }
  std::map<std::string, std::string> parameters() const override {
    return {{"bytes", std::to_string(kTransferBytes)}, {"call", "cudaMemcpyAsync"}};
  }

 private:
  HostTransfer<Host, kDirection> transfer_;
};

template <typename Host, TransferDirection kDirection>
KernelSpec host_copy_spec(std::string name, std::string summary) {
  KernelSpec spec = host_link_spec(std::move(name), std::move(summary));
  spec.fixed_pattern = hashed::kDescription;
  spec.prepare = [](const DeviceInfo&, const PrepareOptions&) {
    return std::make_unique<HostCopy<Host, kDirection>>();
  };
  return spec;
}

}  // namespace mansard::kernels
