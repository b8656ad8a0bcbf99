// SPDX-License-Identifier: Apache-2.0
// Shared memory's write ceiling: 16 bytes per lane, without bank conflicts. Each warp writes its
// own slots, odd and even ones alternately, so that the final contents are known.
#include "kernels/ceilings/memory/shared_memory.cuh"

namespace mansard::kernels {
namespace {

using namespace shared_memory;

constexpr int kOwnSlots = kSlots / kWarps;
constexpr int kStores = kOwnSlots / 2;  // per iteration

// Volatile, because a compiler may drop a store that is overwritten before it is read.
__device__ __forceinline__ void store(std::uint32_t address, uint4 v) {
  asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(v.x),
               "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}

// Store i of an iteration writes the thread's four words of `data` at i, with the iteration number
// added to the first of them. `result` receives each block's buffer.
__global__ void __launch_bounds__(kThreads)
    shared_store_ceiling(const uint4* data, std::uint32_t* result, int iterations, SmSpan* spans) {
  __shared__ __align__(128) std::uint32_t buffer[kWords];
  const int warp = threadIdx.x / 32;
  const std::uint32_t base = static_cast<std::uint32_t>(__cvta_generic_to_shared(buffer)) +
                             warp * kOwnSlots * kSlotBytes + threadIdx.x % 32 * 16;
  uint4 v[kStores];
#pragma unroll
  for (int i = 0; i < kStores; ++i) v[i] = data[i * kThreads + threadIdx.x];
  __syncthreads();
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
#pragma unroll 2
  for (int it = 0; it < iterations; ++it) {
    const std::uint32_t address = base + it % 2 * kSlotBytes;
#pragma unroll
    for (int i = 0; i < kStores; ++i) {
      store(address + 2 * i * kSlotBytes, v[i]);
      ++v[i].x;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
  for (int i = threadIdx.x; i < kWords; i += kThreads) {
    result[static_cast<std::size_t>(blockIdx.x) * kWords + i] = buffer[i];
  }
}

class SharedStore : public PreparedKernel {
 public:
  explicit SharedStore(const DeviceInfo& device)
      : blocks_per_sm_(resident_blocks(shared_store_ceiling)),
        blocks_(device.units * blocks_per_sm_),
        data_(random_words(kDataWords)),
        spans_(blocks_),
        result_(static_cast<std::size_t>(blocks_) * kWords) {}

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::shared] =
        static_cast<double>(kSlotBytes) * kStores * turns() * kWarps * blocks_;
    return w;
  }
  void launch(void* stream) override { enqueue(turns(), static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    constexpr std::uint32_t kChecked = 5;
    const std::vector<std::uint32_t> words = random_words(kDataWords);
    data_ = DeviceBuffer<std::uint32_t>(words);
    result_.fill_bytes(0xff);
    enqueue(kChecked, nullptr);
    const std::vector<std::uint32_t> got = result_.to_host();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::size_t slot = i % kWords / kSlotWords;
      const std::size_t thread = slot / kOwnSlots * 32 + i % kSlotWords / 4;
      const std::size_t own = slot % kOwnSlots;
      // Iterations count from 0: the last one with the slot's parity.
      const std::uint32_t turn = (kChecked - 1) % 2 == own % 2 ? kChecked - 1 : kChecked - 2;
      const std::uint32_t expected =
          words[(own / 2 * kThreads + thread) * 4 + i % 4] + (i % 4 == 0 ? turn : 0);
      if (got[i] == expected) continue;
      return "word " + std::to_string(i % kWords) + " of block " + std::to_string(i / kWords) +
             " holds " + std::to_string(got[i]) + ", expected " + std::to_string(expected);
    }
    return "";
  }
  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }
  std::map<std::string, std::string> parameters() const override {
    return {{"instruction", "st.shared.v4.u32"},
            {"blocks", std::to_string(blocks_)},
            {"threads_per_block", std::to_string(kThreads)},
            {"buffer_bytes_per_block", std::to_string(4 * kWords)}};
  }

 private:
  static constexpr std::size_t kDataWords = std::size_t{kStores} * kThreads * 4;
  int turns() const { return iterations(blocks_per_sm_, kStores); }
  void enqueue(int iterations, cudaStream_t stream) {
    shared_store_ceiling<<<blocks_, kThreads, 0, stream>>>(
        reinterpret_cast<const uint4*>(data_.get()), result_.get(), iterations, spans_.get());
    cuda_check(cudaGetLastError(), "launch the shared store ceiling");
  }

  int blocks_per_sm_;
  int blocks_;
  DeviceBuffer<std::uint32_t> data_;
  SpanBuffer spans_;
  DeviceBuffer<std::uint32_t> result_;
};

}  // namespace

void register_shared_store(KernelRegistry& registry) {
  KernelSpec spec =
      shared_spec<SharedStore>("shared_store", "Shared-memory stores, no bank conflicts");
  spec.roof = false;
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
