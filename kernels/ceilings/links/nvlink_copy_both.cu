// SPDX-License-Identifier: Apache-2.0
// NVLink in both directions at once: each of two GPUs copies to the other with its copy engines.
// Counts the bytes of one direction, as a bus bandwidth does. Acknowledgments of the other
// direction share the link, so this is what a collective can reach.
#include <optional>

#include "kernels/ceilings/links/peer_ceiling.cuh"
#include "kernels/device/cuda_objects.h"

namespace mansard::kernels {
namespace {

class NvlinkCopyBoth : public PeerCeiling {
 public:
  explicit NvlinkCopyBoth(const DeviceInfo& device)
      : PeerCeiling(device), back_(peer(), device.ordinal) {
    const CurrentDevice use(peer());
    stream_.emplace();
    ended_.emplace(cudaEventDisableTiming);
    sent_ = DeviceBuffer<std::uint32_t>(static_cast<std::size_t>(kCount));
  }

  // The peer starts after `stream` has, and `stream` ends after the peer.
  void launch(void* stream) override {
    const auto own = static_cast<cudaStream_t>(stream);
    cuda_check(cudaEventRecord(started_.get(), own), "record an event");
    cuda_check(cudaMemcpyPeerAsync(remote(), peer(), local_.get(), device(), kBytes, own),
               "copy to a peer's memory");
    {
      const CurrentDevice use(peer());
      cuda_check(cudaStreamWaitEvent(stream_->get(), started_.get(), 0), "wait for a copy");
      cuda_check(cudaMemcpyPeerAsync(received_.get(), device(), sent_.get(), peer(), kBytes,
                                     stream_->get()),
                 "copy from a peer's memory");
      cuda_check(cudaEventRecord(ended_->get(), stream_->get()), "record an event");
    }
    cuda_check(cudaStreamWaitEvent(own, ended_->get(), 0), "wait for a copy");
  }
  std::string verify() override {
    const std::uint32_t salt = hashed::fresh_salt(), back_salt = hashed::fresh_salt();
    hashed::fill(local_.get(), kCount, salt);
    {
      const CurrentDevice use(peer());
      hashed::fill(sent_.get(), kCount, back_salt);
    }
    poison_remote();
    received_.fill_bytes(0xff);
    cuda_check(cudaDeviceSynchronize(), "poison the result of a copy");
    launch(nullptr);
    const std::string there = remote_difference(salt);
    if (!there.empty()) return "to the peer: " + there;
    const std::string here =
        hashed::wrong_values(hashed::unequal(received_.get(), kCount, back_salt), kCount);
    return here.empty() ? "" : "from the peer: " + here;
  }
  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> p = PeerCeiling::parameters();
    p["call"] = "cudaMemcpyPeerAsync";
    p["directions"] = "2";
    return p;
  }

 private:
  PeerAccess back_;
  DeviceBuffer<std::uint32_t> local_{static_cast<std::size_t>(kCount)};
  DeviceBuffer<std::uint32_t> received_{static_cast<std::size_t>(kCount)};
  CudaEvent started_{cudaEventDisableTiming};
  // On the peer:
  std::optional<CudaStream> stream_;
  std::optional<CudaEvent> ended_;
  DeviceBuffer<std::uint32_t> sent_;
};

}  // namespace

void register_nvlink_copy_both(KernelRegistry& registry) {
  KernelSpec spec = peer_spec<NvlinkCopyBoth>(
      "nvlink_copy_both", "Copies between two GPUs in both directions at once, bytes of one");
  spec.roof = false;  // a kernel or copy may use one direction alone
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
