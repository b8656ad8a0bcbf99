// SPDX-License-Identifier: Apache-2.0
// NVLink ceiling of the copy engines: copies this GPU's memory to a peer's.
#include "kernels/ceilings/links/peer_ceiling.cuh"

namespace mansard::kernels {
namespace {

class NvlinkCopy : public PeerCeiling {
 public:
  explicit NvlinkCopy(const DeviceInfo& device) : PeerCeiling(device) { renew(); }

  void launch(void* stream) override {
    cuda_check(cudaMemcpyPeerAsync(remote(), peer(), local_.get(), device(), kBytes,
                                   static_cast<cudaStream_t>(stream)),
               "copy to a peer's memory");
  }
  std::string verify() override {
    renew();
    poison_remote();
    launch(nullptr);
    return remote_difference(salt_);
  }
  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> p = PeerCeiling::parameters();
    p["call"] = "cudaMemcpyPeerAsync";
    return p;
  }

 private:
  void renew() {
    salt_ = hashed::fresh_salt();
    hashed::fill(local_.get(), kCount, salt_);
  }

  std::uint32_t salt_ = 0;
  DeviceBuffer<std::uint32_t> local_{static_cast<std::size_t>(kCount)};
};

}  // namespace

void register_nvlink_copy(KernelRegistry& registry) {
  registry.add(peer_spec<NvlinkCopy>("nvlink_copy", "Copy to a peer GPU with the copy engines"));
}

}  // namespace mansard::kernels
