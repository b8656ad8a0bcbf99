// SPDX-License-Identifier: Apache-2.0
// SM loads from host memory over the link, without a preceding copy.
#include "kernels/ceilings/links/host_link.h"
#include "kernels/ceilings/links/host_transfer.cuh"
#include "kernels/ceilings/memory/read_kernel.cuh"

namespace mansard::kernels {
namespace {

// A link of 55 GB/s and about 1 us latency has 55 KB in flight; this grid requests far more.
using Shape = ReadShape<256, 4, 4, LoadHint::streaming>;
constexpr std::int64_t kCount = kTransferBytes / 4;
static_assert(kTransferBytes % Shape::kTileBytes == 0, "whole tiles must cover the array");

class HostReadMapped : public PreparedKernel {
 public:
  explicit HostReadMapped(const DeviceInfo& device)
      : blocks_(read_blocks<Shape>(kTransferBytes, device.units)) {
    renew();
  }

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::pcie] = static_cast<double>(kTransferBytes);
    return w;
  }
  void launch(void* stream) override {
    enqueue_read<Shape>(mapped_, kTransferBytes, blocks_, sums_.get(),
                        static_cast<cudaStream_t>(stream));
  }
  std::string verify() override {
    renew();
    sums_.clear();
    launch(nullptr);
    return sums_.difference(kCount, salt_);
  }
  std::map<std::string, std::string> parameters() const override {
    return {{"bytes", std::to_string(kTransferBytes)},
            {"bytes_in_flight_per_thread", std::to_string(16 * Shape::kInFlight)},
            {"threads_per_block", std::to_string(Shape::kThreads)},
            {"blocks", std::to_string(blocks_)}};
  }

 private:
  void renew() {
    salt_ = hashed::fresh_salt();
    for (std::int64_t i = 0; i < kCount; ++i) {
      host_.get()[i] = hashed::bits(static_cast<std::uint64_t>(i), salt_);
    }
  }

  unsigned blocks_;
  std::uint32_t salt_ = 0;
  PinnedBuffer<std::uint32_t> host_{static_cast<std::size_t>(kCount)};
  const std::uint32_t* mapped_ = host_.on_device();
  ReadSums sums_;
};

}  // namespace

void register_host_read_mapped(KernelRegistry& registry) {
  KernelSpec spec = host_link_spec("host_read_mapped", "SM loads from pinned host memory");
  spec.roof = false;  // loads cannot use the link as well as copies do
  spec.fixed_pattern = hashed::kDescription;
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions&) {
    return std::make_unique<HostReadMapped>(device);
  };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
