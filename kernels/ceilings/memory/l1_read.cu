// SPDX-License-Identifier: Apache-2.0
// The L1 cache's read ceiling: global loads that hit. All warps of an SM read the same 64 KiB, well
// within the L1 if shared memory has the smallest carveout.
#include "kernels/ceilings/memory/shared_memory.cuh"

namespace mansard::kernels {
namespace {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr int kInFlight = 8;
// 4-byte words per lane and load. A warp's load of 16 bytes per lane takes four cycles of the data
// stage but also four of the tag stage; narrower loads use fewer tag cycles but more instructions.
constexpr int kWidth = 4;
constexpr int kSlotWords = 32 * kWidth;
constexpr int kBufferBytes = 64 * 1024;
constexpr int kSlots = kBufferBytes / (4 * kSlotWords);
constexpr int kStarts = kSlots / 2;
constexpr int kStep = kStarts / kInFlight;  // slots between the loads of an iteration
constexpr double kLaunchCycles = 3e6;       // about 1.5 ms

// No load repeats that of the previous iteration, and all loads of an iteration share one addition.
__host__ __device__ constexpr int slot_of(int warp, int iteration, int load) {
  return (warp + iteration) % kStarts + load * kStep;
}

__device__ __forceinline__ std::uint32_t load_sum(const std::uint32_t* p) {
  std::uint32_t v[4] = {};
  if constexpr (kWidth == 4) {
    asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
                 : "l"(p));
  } else if constexpr (kWidth == 2) {
    asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(v[0]), "=r"(v[1]) : "l"(p));
  } else {
    asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[0]) : "l"(p));
  }
  return v[0] + v[1] + v[2] + v[3];
}

__global__ void __launch_bounds__(kThreads)
    l1_read_ceiling(const std::uint32_t* data, std::uint32_t* sums, int iterations, SmSpan* spans) {
  const int warp = threadIdx.x / 32;
  const std::uint32_t* base = data + threadIdx.x % 32 * kWidth;
  std::uint32_t sum = 0;
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
#pragma unroll 2
  for (int it = 0; it < iterations; ++it) {
    const std::uint32_t* p = base + slot_of(warp, it, 0) * kSlotWords;
    std::uint32_t v[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) v[i] = load_sum(p + i * kStep * kSlotWords);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) sum += v[i];
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
  sums[blockIdx.x * kThreads + threadIdx.x] = sum;
}

int resident_blocks_with_largest_l1() {
  cuda_check(cudaFuncSetAttribute(l1_read_ceiling, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxL1),
             "request the largest L1");
  return resident_blocks_per_sm(l1_read_ceiling, kThreads);
}

class L1Read : public PreparedKernel {
 public:
  explicit L1Read(const DeviceInfo& device)
      : blocks_per_sm_(resident_blocks_with_largest_l1()),
        blocks_(device.units * blocks_per_sm_),
        data_(shared_memory::random_words(kBufferBytes / 4)),
        spans_(blocks_),
        sums_(static_cast<std::size_t>(blocks_) * kThreads) {}

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::shared] = 4.0 * kSlotWords * kInFlight * turns() * kWarps * blocks_;
    return w;
  }
  void launch(void* stream) override { enqueue(turns(), static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    constexpr int kChecked = kStarts + 3;  // every start, and some twice
    const std::vector<std::uint32_t> words = shared_memory::random_words(kBufferBytes / 4);
    data_ = DeviceBuffer<std::uint32_t>(words);
    sums_.fill_bytes(0xff);
    enqueue(kChecked, nullptr);
    const std::vector<std::uint32_t> got = sums_.to_host();
    std::vector<std::uint32_t> expected(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      for (int n = 0; n < kChecked * kInFlight * kWidth; ++n) {
        const int slot = slot_of(t / 32, n / kWidth / kInFlight, n / kWidth % kInFlight);
        const int word = slot * kSlotWords + t % 32 * kWidth + n % kWidth;
        expected[static_cast<std::size_t>(t)] += words[static_cast<std::size_t>(word)];
      }
    }
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (got[i] == expected[i % kThreads]) continue;
      return "thread " + std::to_string(i % kThreads) + " of block " +
             std::to_string(i / kThreads) + " read words with the sum " + std::to_string(got[i]) +
             ", expected " + std::to_string(expected[i % kThreads]);
    }
    return "";
  }
  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }
  std::map<std::string, std::string> parameters() const override {
    return {{"working_set_bytes_per_sm", std::to_string(kBufferBytes)},
            {"bytes_per_load", std::to_string(4 * kWidth)},
            {"in_flight_per_thread", std::to_string(kInFlight)},
            {"threads_per_block", std::to_string(kThreads)},
            {"blocks", std::to_string(blocks_)}};
  }

 private:
  int turns() const {
    constexpr int kCycles = 4 * kSlotWords / 128;
    return static_cast<int>(kLaunchCycles / (blocks_per_sm_ * kWarps * kInFlight * kCycles));
  }
  void enqueue(int iterations, cudaStream_t stream) {
    l1_read_ceiling<<<blocks_, kThreads, 0, stream>>>(data_.get(), sums_.get(), iterations,
                                                      spans_.get());
    cuda_check(cudaGetLastError(), "launch the L1 read ceiling");
  }

  int blocks_per_sm_;
  int blocks_;
  DeviceBuffer<std::uint32_t> data_;
  SpanBuffer spans_;
  DeviceBuffer<std::uint32_t> sums_;
};

}  // namespace

// 128 bytes per clock and SM: the L1 uses shared memory's data banks (V100 whitepaper, "Enhanced L1
// Data Cache and Shared Memory"), whose width the spec states.
void register_l1_read(KernelRegistry& registry) {
  KernelSpec spec =
      shared_memory::shared_spec<L1Read>("l1_read", "L1 hits of global loads, 64 KiB per SM");
  spec.roof = false;
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
