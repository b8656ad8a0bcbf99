// SPDX-License-Identifier: Apache-2.0
// Ceiling of device memory for a copy by the bulk-copy engine only: one thread per block issues
// loads into a ring in shared memory and stores from it; no data pass through registers.
#include "kernels/ceilings/memory/bulk_copy.cuh"
#include "kernels/ceilings/memory/bulk_ring.h"
#include "kernels/device/hashed_array.cuh"

namespace mansard::kernels {
namespace {

constexpr int kThreads = 32;  // only one of them works

// `kPending`: stores that may still be reading their ring stage while the stage of an older store
// is refilled; the other stages hold loads in flight.
template <typename Ring, int kPending>
__global__ void __launch_bounds__(kThreads)
    hbm_copy_bulk_ceiling(unsigned char* to, const unsigned char* from, int all_pieces) {
  static_assert(kPending < Ring::kStages);
  extern __shared__ __align__(128) unsigned char ring[];
  __shared__ bulk::Barrier full[Ring::kStages];
  if (threadIdx.x != 0) return;
  bulk::init(full);
  const int pieces = bulk::pieces_of_block(all_pieces);
  const std::uint64_t policy = bulk::evict_first();
  const auto offset = [](int n) {
    return (blockIdx.x + static_cast<std::int64_t>(n) * gridDim.x) * Ring::kPieceBytes;
  };
  const auto fetch = [&](int n, int stage) {
    bulk::load(ring + stage * Ring::kPieceBytes, from + offset(n), Ring::kPieceBytes, full[stage],
               policy);
  };
  for (int n = 0; n < min(pieces, Ring::kStages); ++n) fetch(n, n);

  bulk::Turn<Ring::kStages> turn;
  bulk::Turn<Ring::kStages> freed;  // follows `turn` with a delay of kPending pieces
  for (int n = 0; n < pieces; ++n) {
    bulk::wait(full[turn.stage()], turn.parity());
    bulk::store(to + offset(n), ring + turn.stage() * Ring::kPieceBytes, Ring::kPieceBytes, policy);
    turn.advance();
    if (n < kPending) continue;
    bulk::wait_read<kPending>();
    const int next = n - kPending + Ring::kStages;
    if (next < pieces) fetch(next, freed.stage());
    freed.advance();
  }
  bulk::wait_stored();
}

using Ring = BulkRing</*stages*/ 8, /*piece bytes*/ 8192, /*blocks an SM*/ 3>;
constexpr int kStoresPending = 3;
constexpr auto* kKernel = hbm_copy_bulk_ceiling<Ring, kStoresPending>;
constexpr std::int64_t kBytes = stream::array_bytes(2);
static_assert(kBytes % Ring::kPieceBytes == 0, "whole pieces must cover the array");

class HbmCopyBulk : public PreparedKernel {
 public:
  explicit HbmCopyBulk(const DeviceInfo& device)
      : blocks_(Ring::blocks(kKernel, kThreads, device.units)) {
    fill();
  }

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::hbm] = 2.0 * kBytes;
    return w;
  }
  void launch(void* stream) override {
    kKernel<<<blocks_, kThreads, Ring::kBytes, static_cast<cudaStream_t>(stream)>>>(
        reinterpret_cast<unsigned char*>(to_.get()),
        reinterpret_cast<const unsigned char*>(from_.get()),
        static_cast<int>(kBytes / Ring::kPieceBytes));
    cuda_check(cudaGetLastError(), "launch the bulk copy ceiling");
  }
  std::string verify() override {
    fill();
    to_.fill_bytes(0xff);
    launch(nullptr);
    return hashed::wrong_values(hashed::unequal(to_.get(), kCount, salt_), kCount);
  }
  std::map<std::string, std::string> parameters() const override {
    std::map<std::string, std::string> p = Ring::parameters();
    p["array_bytes"] = std::to_string(kBytes);
    p["arrays"] = "2";
    p["stores_pending"] = std::to_string(kStoresPending);
    p["blocks"] = std::to_string(blocks_);
    return p;
  }

 private:
  static constexpr std::int64_t kCount = kBytes / 4;

  void fill() {
    salt_ = hashed::fresh_salt();
    hashed::fill(from_.get(), kCount, salt_);
  }

  int blocks_;
  std::uint32_t salt_ = 0;
  DeviceBuffer<std::uint32_t> from_{kCount};
  DeviceBuffer<std::uint32_t> to_{kCount};
};

}  // namespace

void register_sm90_hbm_copy_bulk(KernelRegistry& registry) {
  KernelSpec spec = bulk_spec(
      "hbm_copy_bulk", "Device memory, a = b with bulk copies: bytes read plus bytes written");
  spec.fixed_pattern = hashed::kDescription;
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions&) {
    return std::make_unique<HbmCopyBulk>(device);
  };
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
