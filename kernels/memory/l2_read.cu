// SPDX-License-Identifier: Apache-2.0
// The L2's read ceiling: every SM reads a buffer that fits in L2, past L1, again and again.
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
constexpr int kPasses = 2048;  // over the buffer, by the whole grid together: about 1 ms

__device__ __forceinline__ uint4 load_past_l1(const uint4* p) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p));
  return v;
}

// The blocks take tiles of kThreads * kInFlight vectors in turn until each tile was read `passes`
// times; a block's next tile is gridDim.x further on, so that no SM keeps to one part of the L2.
// `sums` receives each thread's sum of all 32-bit words: it proves that every load was made.
__global__ void __launch_bounds__(kThreads, kMinBlocksPerSm)
    l2_read_ceiling(const uint4* data, int tiles, int passes, unsigned* sums, SmSpan* spans) {
  unsigned sum = 0;
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
  const int reads = tiles * passes;
  int tile = static_cast<int>(blockIdx.x) % tiles;
  const int stride = static_cast<int>(gridDim.x) % tiles;
  for (int read = blockIdx.x; read < reads; read += gridDim.x) {
    const uint4* p = data + static_cast<std::size_t>(tile) * (kThreads * kInFlight) + threadIdx.x;
    uint4 v[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) v[i] = load_past_l1(p + i * kThreads);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) sum += v[i].x + v[i].y + v[i].z + v[i].w;
    tile += stride;
    if (tile >= tiles) tile -= tiles;
  }
  sums[blockIdx.x * kThreads + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
}

class L2Read : public PreparedKernel {
 public:
  explicit L2Read(const DeviceInfo& device)
      : blocks_(device.units * resident_blocks_per_sm(l2_read_ceiling, kThreads)), spans_(blocks_) {
    // A twelfth of the L2: small enough that both partitions of a split L2 can hold a copy
    // (H200: 10.3 TB/s at 4 to 6 MB, 8.9 TB/s at 15 to 25 MB, measured by gpu-benches).
    tiles_ = std::max(1, static_cast<int>(device.l2_bytes / 12 / kTileBytes));
    std::vector<unsigned> host(static_cast<std::size_t>(tiles_) * kTileBytes / 4);
    std::mt19937 engine(7);
    for (unsigned& word : host) {
      word = engine();
      total_ += word;
    }
    data_ = DeviceBuffer<unsigned>(host);
    sums_ = DeviceBuffer<unsigned>(static_cast<std::size_t>(blocks_) * kThreads);
  }

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::l2] = static_cast<double>(tiles_) * kTileBytes * kPasses;
    return w;
  }
  void launch(void* stream) override { enqueue(kPasses, static_cast<cudaStream_t>(stream)); }
  std::string verify() override {
    constexpr int kChecked = 3;
    sums_.fill_bytes(0xff);
    enqueue(kChecked, nullptr);
    unsigned sum = 0;
    for (const unsigned s : sums_.to_host()) sum += s;
    if (sum == total_ * kChecked) return "";
    return "the sum of what was read is " + std::to_string(sum) + ", expected " +
           std::to_string(total_ * kChecked);
  }
  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }
  std::map<std::string, std::string> parameters() const override {
    return {{"working_set_bytes", std::to_string(static_cast<long long>(tiles_) * kTileBytes)},
            {"passes", std::to_string(kPasses)},
            {"blocks", std::to_string(blocks_)}};
  }

 private:
  static constexpr int kTileBytes = kThreads * kInFlight * 16;
  void enqueue(int passes, cudaStream_t stream) {
    l2_read_ceiling<<<blocks_, kThreads, 0, stream>>>(reinterpret_cast<const uint4*>(data_.get()),
                                                      tiles_, passes, sums_.get(), spans_.get());
    cuda_check(cudaGetLastError(), "launch the L2 read ceiling");
  }

  int blocks_;
  int tiles_ = 0;
  unsigned total_ = 0;  // of all words, modulo 2^32
  SpanBuffer spans_;
  DeviceBuffer<unsigned> data_;
  DeviceBuffer<unsigned> sums_;
};

}  // namespace

void register_l2_read(KernelRegistry& registry) {
  KernelSpec spec;
  spec.name = "l2_read";
  spec.summary = "L2 cache, read past L1 from a buffer of a twelfth of its size";
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::l2;
  spec.fixed_data = "random integers";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.l2_bytes > 0 ? "" : "the device reports no L2 cache";
  };
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions&) {
    return std::make_unique<L2Read>(device);
  };
  registry.add(std::move(spec));
}

}  // namespace mansard
