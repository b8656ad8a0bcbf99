// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <stdexcept>

#include "kernels/distributed/collectives.h"
#include "kernels/recipes/backend.h"

namespace mansard::kernels {
namespace {

class HostCollectives : public Collectives {
 public:
  using Collectives::Collectives;
  std::string name() const override { return "TCP"; }
  std::int64_t bucket_bytes() const override { return std::int64_t{256} << 20; }

  void all_reduce(float* data, std::int64_t count) override { group().all_reduce(data, count); }
  void reduce_scatter(float* data, std::int64_t count) override { group().all_reduce(data, count); }
  void all_gather(const void* piece, void* all, std::int64_t bytes_per_rank) override {
    void* const own = static_cast<std::byte*>(all) + rank() * bytes_per_rank;
    if (own != piece) std::memcpy(own, piece, static_cast<std::size_t>(bytes_per_rank));
    group().all_gather(all, bytes_per_rank);
  }
  void join() override {}
};

}  // namespace

std::unique_ptr<Collectives> make_host_collectives(ProcessGroup& group) {
  return std::make_unique<HostCollectives>(group);
}

std::optional<Transport> parse_transport(std::string_view key) {
  if (key == "auto") return Transport::automatic;
  if (key == "copy-engines") return Transport::copy_engines;
  if (key == "nccl") return Transport::nccl;
  return std::nullopt;
}

std::unique_ptr<Collectives> make_collectives(ProcessGroup& group, Backend& backend,
                                              Transport transport) {
  void* const stream = backend.cuda_stream();
  if (stream == nullptr) {
    if (transport == Transport::automatic) return make_host_collectives(group);
    throw std::runtime_error("NCCL and copy engines connect GPUs, and the ranks train on the CPU");
  }
  if (transport == Transport::nccl) return make_nccl_collectives(group, stream);
  if (transport == Transport::copy_engines) return make_copy_engine_collectives(group, stream);
  try {
    return make_copy_engine_collectives(group, stream);
  } catch (const LostRank&) {
    throw;
  } catch (const std::runtime_error&) {
    return make_nccl_collectives(group, stream);
  }
}

}  // namespace mansard::kernels
