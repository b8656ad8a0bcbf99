// SPDX-License-Identifier: Apache-2.0
// NVLink ceiling of stores: the SMs write to a peer's memory.
#include "kernels/ceilings/links/peer_ceiling.cuh"
#include "kernels/ceilings/memory/stream_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct PeerWrite {
  static constexpr int kReads = 0;
  static constexpr stream::StreamShape kShape{};
  __device__ static float element(float made, float) { return made; }
};

class NvlinkWrite : public PeerCeiling {
 public:
  explicit NvlinkWrite(const DeviceInfo& device) : PeerCeiling(device) {}

  void launch(void* cuda_stream) override {
    stream::enqueue<PeerWrite>(reinterpret_cast<float*>(remote()), nullptr, nullptr, kBytes, salt_,
                               static_cast<cudaStream_t>(cuda_stream));
  }
  std::string verify() override {
    salt_ = hashed::fresh_salt();
    poison_remote();
    launch(nullptr);
    return remote_difference(salt_);
  }
  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> p = PeerCeiling::parameters();
    p["bytes_per_thread"] = std::to_string(16 * PeerWrite::kShape.vectors);
    p["threads_per_block"] = std::to_string(PeerWrite::kShape.threads);
    return p;
  }

 private:
  static_assert(kBytes % (16 * PeerWrite::kShape.threads * PeerWrite::kShape.vectors) == 0,
                "whole tiles must cover the array");

  std::uint32_t salt_ = hashed::fresh_salt();
};

}  // namespace

void register_nvlink_write(KernelRegistry& registry) {
  registry.add(peer_spec<NvlinkWrite>("nvlink_write", "SM stores to a peer GPU's memory"));
}

}  // namespace mansard::kernels
