// SPDX-License-Identifier: Apache-2.0
// Ceiling of device memory for reads by the bulk-copy engine: a ring of pieces in shared memory is
// kept full, and the threads add up the data.
#include "kernels/ceilings/memory/bulk_copy.cuh"
#include "kernels/ceilings/memory/bulk_ring.h"
#include "kernels/ceilings/memory/read_kernel.cuh"

namespace mansard::kernels {
namespace {

// Every thread block processes its share of the pieces, and all its threads read each of them.
template <typename Ring, int kThreads>
__global__ void __launch_bounds__(kThreads)
    hbm_read_bulk_ceiling(const unsigned char* data, int all_pieces, unsigned* sums) {
  static_assert(Ring::kPieceBytes % (16 * kThreads) == 0, "all threads read alike");
  extern __shared__ __align__(128) unsigned char ring[];
  __shared__ bulk::Barrier full[Ring::kStages];
  const int pieces = bulk::pieces_of_block(all_pieces);
  const std::uint64_t policy = bulk::evict_first();
  const auto fetch = [&](int n, int stage) {
    const std::int64_t piece = blockIdx.x + static_cast<std::int64_t>(n) * gridDim.x;
    bulk::load(ring + stage * Ring::kPieceBytes, data + piece * Ring::kPieceBytes,
               Ring::kPieceBytes, full[stage], policy);
  };
  if (threadIdx.x == 0) {
    bulk::init(full);
    for (int n = 0; n < min(pieces, Ring::kStages); ++n) fetch(n, n);
  }
  __syncthreads();

  unsigned sum = 0;
  bulk::Turn<Ring::kStages> turn;
  for (int n = 0; n < pieces; ++n) {
    bulk::wait(full[turn.stage()], turn.parity());
    const uint4* words = reinterpret_cast<const uint4*>(ring + turn.stage() * Ring::kPieceBytes);
#pragma unroll
    for (int i = 0; i < Ring::kPieceBytes / 16 / kThreads; ++i) {
      sum += word_sum(words[threadIdx.x + i * kThreads]);
    }
    __syncthreads();  // all threads have read the piece: its stage may be refilled
    if (threadIdx.x == 0 && n + Ring::kStages < pieces) fetch(n + Ring::kStages, turn.stage());
    turn.advance();
  }
  add_to_sums(sums, sum);
}

// An SM's share of 4.9 TB/s times about 0.8 us of latency is 30 KB. A ring of several times that
// size lets the requests of one block overlap with the iterations of the others.
using Ring = BulkRing</*stages*/ 4, /*piece bytes*/ 16384, /*blocks an SM*/ 2>;
constexpr int kThreads = 256;
constexpr auto* kKernel = hbm_read_bulk_ceiling<Ring, kThreads>;
constexpr std::int64_t kBytes = stream::array_bytes(1);
static_assert(kBytes % Ring::kPieceBytes == 0, "whole pieces must cover the array");

class HbmReadBulk : public PreparedKernel {
 public:
  explicit HbmReadBulk(const DeviceInfo& device)
      : blocks_(Ring::blocks(kKernel, kThreads, device.units)) {
    fill();
  }

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::hbm] = static_cast<double>(kBytes);
    return w;
  }
  void launch(void* stream) override {
    kKernel<<<blocks_, kThreads, Ring::kBytes, static_cast<cudaStream_t>(stream)>>>(
        reinterpret_cast<const unsigned char*>(data_.get()),
        static_cast<int>(kBytes / Ring::kPieceBytes), sums_.get());
    cuda_check(cudaGetLastError(), "launch the bulk read ceiling");
  }
  std::string verify() override {
    fill();
    sums_.clear();
    launch(nullptr);
    return sums_.difference(kCount, salt_);
  }
  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> p = Ring::parameters();
    p["array_bytes"] = std::to_string(kBytes);
    p["threads_per_block"] = std::to_string(kThreads);
    p["blocks"] = std::to_string(blocks_);
    return p;
  }

 private:
  static constexpr std::int64_t kCount = kBytes / 4;

  void fill() {
    salt_ = hashed::fresh_salt();
    hashed::fill(data_.get(), kCount, salt_);
  }

  int blocks_;
  std::uint32_t salt_ = 0;
  DeviceBuffer<std::uint32_t> data_{kCount};
  ReadSums sums_;
};

}  // namespace

void register_sm90_hbm_read_bulk(KernelRegistry& registry) {
  KernelSpec spec = bulk_spec("hbm_read_bulk", "Device memory, reads only, with bulk copies");
  spec.fixed_pattern = hashed::kDescription;
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions&) {
    return std::make_unique<HbmReadBulk>(device);
  };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
