// SPDX-License-Identifier: Apache-2.0
// The L2's read ceiling: every SM reads a buffer past L1, again and again. Swept over the buffer's
// size, so that the curve shows where an L2 of two partitions ends, and then device memory.
#include <cmath>
#include <cstdint>
#include <random>

#include "kernels/device/device_buffer.h"
#include "kernels/device/occupancy.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"

namespace mansard {
namespace {

constexpr int kThreads = 512;
constexpr int kMinBlocksPerSm = 3;  // CC 12.0 has room for 1536 threads an SM, the others for 2048
constexpr int kInFlight = 4;
constexpr int kTileBytes = kThreads * kInFlight * 16;
constexpr double kLaunchBytes = 9e9;  // 0.9 ms at 10 TB/s, 2.2 ms where HBM has to serve
constexpr double kMiB = 1024 * 1024;

// In which order a block takes the tiles. It decides two things. How evenly the requests of a
// moment spread over the L2's slices: all orders have the whole grid spread over hundreds of tiles.
// And how much L2 the buffer takes: a line lives in the partition that its address belongs to, and
// an SM on the other side has it through its own partition, which may keep a copy. Where SMs of
// both sides read a line, the buffer may take its size twice; that is why 20 MB of an H200's 60 are
// slower than 5 MB (8.9 and 10.3 TB/s by gpu-benches).
enum class Order {
  interleaved,  // tile block, block + grid, ...: the grid moves over the buffer as a front
  staggered,    // the whole buffer in sequence, each block from a start of its own
  sliced,       // its own part of the buffer alone: no line is read by SMs of both sides
};
constexpr Order kOrder = Order::interleaved;

// Tiles first, first + step, ... modulo those from `begin` to `end`.
struct Walk {
  int begin;
  int end;
  int first;
  int step;
};

__host__ __device__ constexpr int share(int block, int blocks, int tiles) {
  return static_cast<int>(static_cast<long long>(block) * tiles / blocks);
}

__host__ __device__ constexpr Walk walk(int block, int blocks, int tiles) {
  if (kOrder == Order::interleaved) return {0, tiles, block % tiles, blocks % tiles};
  const int first = share(block, blocks, tiles);
  if (kOrder == Order::staggered) return {0, tiles, first, 1};
  const int next = share(block + 1, blocks, tiles);
  return {first, next > first ? next : first + 1, first, next > first + 1 ? 1 : 0};
}

__device__ __forceinline__ uint4 load_past_l1(const uint4* p) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p));
  return v;
}

// `sums` receives each thread's sum of all 32-bit words: it proves that every load was made.
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm)
    l2_read_ceiling(const uint4* data, int tiles, int reads, unsigned* sums, SmSpan* spans) {
  unsigned sum = 0;
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
  const Walk w = walk(static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), tiles);
  int tile = w.first;
  for (int read = 0; read < reads; ++read) {
    const uint4* p = data + static_cast<std::size_t>(tile) * (kThreads * kInFlight) + threadIdx.x;
    uint4 v[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) v[i] = load_past_l1(p + i * kThreads);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) sum += v[i].x + v[i].y + v[i].z + v[i].w;
    tile += w.step;
    if (tile >= w.end) tile -= w.end - w.begin;
  }
  sums[blockIdx.x * kThreads + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
}

// A twelfth of the L2: small enough that both partitions of a split L2 can hold a copy.
double tier_bytes(const DeviceInfo& device) { return device.l2_bytes / 12; }

class L2Read : public PreparedKernel {
 public:
  L2Read(const DeviceInfo& device, const PrepareOptions& options)
      : blocks_(device.units * resident_blocks_per_sm(l2_read_ceiling, kThreads)),
        spans_(blocks_),
        sums_(static_cast<std::size_t>(blocks_) * kThreads) {
    const double bytes =
        options.shape.empty() ? tier_bytes(device) : static_cast<double>(options.shape[0]);
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
    const int checked = 2 * (tiles_ / blocks_) + 3;  // each tile at least once
    sums_.fill_bytes(0xff);
    enqueue(checked, nullptr);
    const std::vector<unsigned> sums = sums_.to_host();
    for (int block = 0; block < blocks_; ++block) {
      unsigned got = 0;
      for (int t = 0; t < kThreads; ++t)
        got += sums[static_cast<std::size_t>(block) * kThreads + t];
      unsigned expected = 0;
      const Walk w = walk(block, blocks_, tiles_);
      for (int n = 0, tile = w.first; n < checked; ++n) {
        expected += tile_sums_[static_cast<std::size_t>(tile)];
        tile += w.step;
        if (tile >= w.end) tile -= w.end - w.begin;
      }
      if (got == expected) continue;
      return "block " + std::to_string(block) + " read words of sum " + std::to_string(got) +
             ", expected " + std::to_string(expected);
    }
    return "";
  }
  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }
  std::map<std::string, std::string> parameters() const override {
    constexpr const char* kOrders[] = {"interleaved", "staggered", "sliced"};
    return {{"working_set_bytes", std::to_string(static_cast<long long>(tiles_) * kTileBytes)},
            {"order", kOrders[static_cast<int>(kOrder)]},
            {"in_flight_per_thread", std::to_string(kInFlight)},
            {"threads_per_block", std::to_string(kThreads)},
            {"blocks", std::to_string(blocks_)}};
  }

 private:
  int reads() const {  // of a block
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
                                                      tiles_, reads, sums_.get(), spans_.get());
    cuda_check(cudaGetLastError(), "launch the L2 read ceiling");
  }

  int blocks_;
  int tiles_ = 0;
  std::vector<unsigned> tile_sums_;  // of all words, modulo 2^32
  SpanBuffer spans_;
  DeviceBuffer<std::uint64_t> data_;
  DeviceBuffer<unsigned> sums_;
};

// From 1 MiB to four times the L2 in steps of sqrt(2), and the size at which the tier is measured.
std::vector<WorkingSet> working_sets(const DeviceInfo& device) {
  std::vector<WorkingSet> sets{{std::floor(tier_bytes(device)), MemoryLevel::l2}};
  for (double bytes = kMiB; bytes <= 4 * device.l2_bytes; bytes *= std::sqrt(2.0)) {
    sets.push_back({std::round(bytes), std::nullopt});
  }
  std::sort(sets.begin(), sets.end(),
            [](const WorkingSet& a, const WorkingSet& b) { return a.bytes < b.bytes; });
  return sets;
}

}  // namespace

void register_l2_read(KernelRegistry& registry) {
  KernelSpec spec;
  spec.name = "l2_read";
  spec.summary = "L2 cache read past L1, over the size of what is read";
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::l2;
  spec.fixed_data = "random integers";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.l2_bytes > 0 ? "" : "the device reports no L2 cache";
  };
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.working_sets = working_sets;
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<L2Read>(device, options);
  };
  registry.add(std::move(spec));
}

}  // namespace mansard
