// SPDX-License-Identifier: Apache-2.0
// The host link in both directions at once: two copies in two streams, counting the bytes of both.
#include "kernels/ceilings/links/host_link.h"
#include "kernels/ceilings/links/host_transfer.cuh"
#include "kernels/device/cuda_objects.h"

namespace mansard::kernels {
namespace {

using Host = PinnedBuffer<std::uint32_t>;

class PcieBothPinned : public PreparedKernel {
 public:
  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::pcie] = 2.0 * kTransferBytes;
    return w;
  }

  // The second stream starts after the first has, and the first ends after the second, so that
  // events around this in `stream` enclose both copies.
  void launch(void* stream) override {
    const auto first = static_cast<cudaStream_t>(stream);
    join(first, second_.get(), begun_.get());
    down_.enqueue(first);
    up_.enqueue(second_.get());
    join(second_.get(), first, ended_.get());
  }
  std::string verify() override {
    down_.renew();
    up_.renew();
    launch(nullptr);
    cuda_check(cudaDeviceSynchronize(), "copy in both directions between host and device");
    const std::string down = down_.difference();
    if (!down.empty()) return "to the device: " + down;
    const std::string up = up_.difference();
    return up.empty() ? "" : "to the host: " + up;
  }
  std::map<std::string, std::string> parameters() const override {
    return {{"bytes_each_way", std::to_string(kTransferBytes)},
            {"call", "cudaMemcpyAsync"},
            {"streams", "2"}};
  }

 private:
  static void join(cudaStream_t before, cudaStream_t after, cudaEvent_t event) {
    cuda_check(cudaEventRecord(event, before), "record an event");
    cuda_check(cudaStreamWaitEvent(after, event, 0), "make one stream wait for another");
  }

  HostTransfer<Host, TransferDirection::to_device> down_;
  HostTransfer<Host, TransferDirection::to_host> up_;
  CudaStream second_;
  CudaEvent begun_{cudaEventDisableTiming};
  CudaEvent ended_{cudaEventDisableTiming};
};

}  // namespace

void register_pcie_both_pinned(KernelRegistry& registry) {
  KernelSpec spec = host_link_spec(
      "pcie_both_pinned", "Concurrent copies in both directions, pinned memory, total bytes");
  spec.roof = false;  // the roof for a program's copy is one direction
  spec.fixed_pattern = hashed::kDescription;
  spec.peak_per_s = [](const DeviceInfo& device) { return 2 * host_link_bytes_per_s(device); };
  spec.prepare = [](const DeviceInfo&, const PrepareOptions&) {
    return std::make_unique<PcieBothPinned>();
  };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
