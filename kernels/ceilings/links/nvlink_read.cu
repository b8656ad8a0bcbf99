// SPDX-License-Identifier: Apache-2.0
// NVLink ceiling of loads: the SMs read a peer's memory.
#include "kernels/ceilings/links/peer_ceiling.cuh"
#include "kernels/ceilings/memory/read_kernel.cuh"

namespace mansard::kernels {
namespace {

using Shape = ReadShape<256, 8, 4, LoadHint::streaming>;

class NvlinkRead : public PeerCeiling {
 public:
  explicit NvlinkRead(const DeviceInfo& device)
      : PeerCeiling(device), blocks_(read_blocks<Shape>(kBytes, device.units)) {
    renew();
  }

  void launch(void* stream) override {
    enqueue_read<Shape>(remote(), kBytes, blocks_, sums_.get(), static_cast<cudaStream_t>(stream));
  }
  std::string verify() override {
    renew();
    sums_.clear();
    launch(nullptr);
    return sums_.difference(kCount, salt_);
  }
  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> p = PeerCeiling::parameters();
    p["bytes_in_flight_per_thread"] = std::to_string(16 * Shape::kInFlight);
    p["threads_per_block"] = std::to_string(Shape::kThreads);
    p["blocks"] = std::to_string(blocks_);
    return p;
  }

 private:
  static_assert(kBytes % Shape::kTileBytes == 0, "whole tiles must cover the array");

  void renew() {
    salt_ = hashed::fresh_salt();
    fill_remote(salt_);
  }

  unsigned blocks_;
  std::uint32_t salt_ = 0;
  ReadSums sums_;
};

}  // namespace

void register_nvlink_read(KernelRegistry& registry) {
  registry.add(peer_spec<NvlinkRead>("nvlink_read", "SM loads from a peer GPU's memory"));
}

}  // namespace mansard::kernels
