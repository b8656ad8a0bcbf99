// SPDX-License-Identifier: Apache-2.0
// The L2's read ceiling: every SM repeatedly reads a buffer, bypassing L1; the grid moves over it
// as a front. Swept over the buffer size, so that the curve shows where an L2 of two partitions
// ends and device memory starts.
//
// The counted bytes are those that the SMs receive. In front of the L2 slices is a coalescer (LRC
// in Nsight Compute's glossary): if several SMs request a line at about the same time, only the
// first request reaches the slice. The front of this grid, 8.6 MB on an H200, overlaps with itself
// in smaller buffers: at 5 MB the SMs receive 12.5 TB/s, of which the slices serve two thirds; at
// 20 MB they receive 9.1 TB/s, all served by the slices. The tier is measured at the latter size,
// where no line is requested twice at a time. l2_read_together measures the benefit of sharing, as
// between the thread blocks of a GEMM: every SM reads the same twelfth of the L2 in the same order.
#include <cmath>
#include <cstdint>
#include <random>

#include "kernels/device/device_buffer.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"

namespace mansard::kernels {
namespace {

constexpr int kThreads = 512;
constexpr int kBlocksPerSm = 2;
constexpr int kInFlight = 4;
constexpr int kTileBytes = kThreads * kInFlight * 16;
constexpr double kLaunchBytes = 9e9;  // 0.9 ms at 10 TB/s, 2.2 ms where HBM has to serve
constexpr double kMiB = 1024 * 1024;

// The tiles of a thread block: block, block + grid, ...; or all tiles, the same as every other
// block.
enum class Order { front, together };
__host__ __device__ constexpr int first_tile(Order order, int block) {
  return order == Order::front ? block : 0;
}
__host__ __device__ constexpr int tile_step(Order order, int blocks) {
  return order == Order::front ? blocks : 1;
}

__device__ __forceinline__ uint4 load_past_l1(const uint4* p) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p));
  return v;
}

// `sums` receives each thread's sum of all 32-bit words, which proves that every load was executed.
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    l2_read_ceiling(const uint4* data, int tiles, Order order, int reads, unsigned* sums,
                    SmSpan* spans) {
  unsigned sum = 0;
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
  int tile = first_tile(order, static_cast<int>(blockIdx.x)) % tiles;
  const int step = tile_step(order, static_cast<int>(gridDim.x)) % tiles;
  for (int read = 0; read < reads; ++read) {
    const uint4* p = data + static_cast<std::size_t>(tile) * (kThreads * kInFlight) + threadIdx.x;
    uint4 v[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) v[i] = load_past_l1(p + i * kThreads);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) sum += v[i].x + v[i].y + v[i].z + v[i].w;
    tile += step;
    if (tile >= tiles) tile -= tiles;
  }
  sums[blockIdx.x * kThreads + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
}

// A third of the L2: more than twice the front, and both partitions of a split L2 can hold a copy.
double tier_bytes(const DeviceInfo& device) { return device.l2_bytes / 3; }
double shared_bytes(const DeviceInfo& device) { return device.l2_bytes / 12; }

class L2Read : public PreparedKernel {
 public:
  L2Read(const DeviceInfo& device, double bytes, Order order)
      : order_(order),
        blocks_(device.units * kBlocksPerSm),
        spans_(blocks_),
        sums_(static_cast<std::size_t>(blocks_) * kThreads) {
    tiles_ = std::max(1, static_cast<int>(bytes / kTileBytes));
    data_ = DeviceBuffer<std::uint64_t>(random_tiles());
  }

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::l2] = static_cast<double>(kTileBytes) * blocks_ * reads();
    return w;
  }
  void launch(void* stream) override { enqueue(reads(), static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    data_ = DeviceBuffer<std::uint64_t>(random_tiles());
    const int checked = 2 * (tiles_ / tile_step(order_, blocks_)) + 3;  // each tile at least once
    sums_.fill_bytes(0xff);
    enqueue(checked, nullptr);
    const std::vector<unsigned> sums = sums_.to_host();
    for (int block = 0; block < blocks_; ++block) {
      unsigned got = 0;
      for (int t = 0; t < kThreads; ++t)
        got += sums[static_cast<std::size_t>(block) * kThreads + t];
      unsigned expected = 0;
      for (int n = 0, tile = first_tile(order_, block) % tiles_; n < checked; ++n) {
        expected += tile_sums_[static_cast<std::size_t>(tile)];
        tile = (tile + tile_step(order_, blocks_)) % tiles_;
      }
      if (got == expected) continue;
      return "block " + std::to_string(block) + " read words with the sum " + std::to_string(got) +
             ", expected " + std::to_string(expected);
    }
    return "";
  }
  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }
  std::map<std::string, std::string> parameters() const override {
    return {{"working_set_bytes", std::to_string(static_cast<long long>(tiles_) * kTileBytes)},
            {"in_flight_per_thread", std::to_string(kInFlight)},
            {"threads_per_block", std::to_string(kThreads)},
            {"blocks", std::to_string(blocks_)}};
  }

 private:
  int reads() const {  // per block
    return std::max(1, static_cast<int>(kLaunchBytes / kTileBytes / blocks_));
  }
  std::vector<std::uint64_t> random_tiles() {
    std::mt19937_64 engine(std::random_device{}());
    constexpr std::size_t kTileNumbers = kTileBytes / 8;
    std::vector<std::uint64_t> numbers(kTileNumbers * static_cast<std::size_t>(tiles_));
    tile_sums_.assign(static_cast<std::size_t>(tiles_), 0);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = engine();
      tile_sums_[i / kTileNumbers] +=
          static_cast<unsigned>(numbers[i]) + static_cast<unsigned>(numbers[i] >> 32);
    }
    return numbers;
  }
  void enqueue(int reads, cudaStream_t stream) {
    l2_read_ceiling<<<blocks_, kThreads, 0, stream>>>(reinterpret_cast<const uint4*>(data_.get()),
                                                      tiles_, order_, reads, sums_.get(),
                                                      spans_.get());
    cuda_check(cudaGetLastError(), "launch the L2 read ceiling");
  }

  Order order_;
  int blocks_;
  int tiles_ = 0;
  std::vector<unsigned> tile_sums_;  // of all words in a tile, modulo 2^32
  SpanBuffer spans_;
  DeviceBuffer<std::uint64_t> data_;
  DeviceBuffer<unsigned> sums_;
};

// From 1 MiB to four times the L2 in steps of sqrt(2), plus the size at which the tier is measured.
std::vector<WorkingSet> working_sets(const DeviceInfo& device) {
  std::vector<WorkingSet> sets{{std::floor(tier_bytes(device)), MemoryLevel::l2}};
  for (double bytes = kMiB; bytes <= 4 * device.l2_bytes; bytes *= std::sqrt(2.0)) {
    sets.push_back({std::round(bytes), std::nullopt});
  }
  std::sort(sets.begin(), sets.end(),
            [](const WorkingSet& a, const WorkingSet& b) { return a.bytes < b.bytes; });
  return sets;
}

KernelSpec l2_spec(std::string name, std::string summary) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::l2;
  spec.fixed_pattern = "random integers";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.l2_bytes > 0 ? "" : "the device reports no L2 cache";
  };
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  return spec;
}

}  // namespace

void register_l2_read(KernelRegistry& registry) {
  KernelSpec spec = l2_spec("l2_read", "L2 reads that bypass L1, vs. buffer size");
  spec.working_sets = working_sets;
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions& options) {
    const double bytes =
        options.shape.empty() ? tier_bytes(device) : static_cast<double>(options.shape[0]);
    return std::make_unique<L2Read>(device, bytes, Order::front);
  };
  registry.add(std::move(spec));

  KernelSpec together =
      l2_spec("l2_read_together", "L2 reads of the same lines by all SMs at once");
  together.roof = false;  // includes bytes that the slices do not serve
  together.prepare = [](const DeviceInfo& device, const PrepareOptions&) {
    return std::make_unique<L2Read>(device, shared_bytes(device), Order::together);
  };
  registry.add(std::move(together));
}

}  // namespace mansard::kernels
