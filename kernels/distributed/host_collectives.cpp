// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "kernels/distributed/collectives.h"
#include "kernels/recipes/backend.h"

namespace mansard::kernels {
namespace {

class HostCollectives : public Collectives {
 public:
  using Collectives::Collectives;
  std::string name() const override { return "TCP"; }

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

std::unique_ptr<Collectives> make_collectives(ProcessGroup& group, Backend& backend) {
  if (backend.cuda_stream() == nullptr) return make_host_collectives(group);
  return make_nccl_collectives(group, backend.cuda_stream());
}

}  // namespace mansard::kernels
