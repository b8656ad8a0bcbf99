// SPDX-License-Identifier: Apache-2.0
// Base of the ceilings that read shared memory. An access is a struct with:
//   kInstruction
//   load(address)        loads four registers of a lane from the slot at `address` minus the offset
//   lane_offset(lane)    offset that a lane adds to the address
//   word(lane, r)        index of the slot's word that register r receives
#pragma once

#include "kernels/ceilings/memory/shared_memory.cuh"

namespace mansard::kernels::shared_memory {

// Loads per iteration and thread, at fixed offsets from an address that advances by a slot per
// iteration: no load repeats that of the previous iteration, and all of them share one addition.
inline constexpr int kInFlight = 8;
inline constexpr int kStarts = kSlots / 2;
inline constexpr int kStep = 4;  // slots between the loads of an iteration
static_assert(kStarts - 1 + (kInFlight - 1) * kStep < kSlots, "every load stays in the buffer");

__host__ __device__ constexpr int slot_of(int warp, int iteration, int load) {
  return (warp + iteration) % kStarts + load * kStep;
}

// `sums` receives each thread's sum of all words that it read.
template <typename Access>
__global__ void __launch_bounds__(kThreads)
    shared_read_ceiling(const std::uint32_t* data, std::uint32_t* sums, int iterations,
                        SmSpan* spans) {
  __shared__ __align__(128) std::uint32_t buffer[kWords];
  for (int i = threadIdx.x; i < kWords; i += kThreads) buffer[i] = data[i];
  __syncthreads();
  const int warp = threadIdx.x / 32;
  const std::uint32_t base = static_cast<std::uint32_t>(__cvta_generic_to_shared(buffer)) +
                             Access::lane_offset(threadIdx.x % 32);
  std::uint32_t sum = 0;
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
  __syncwarp();  // ldmatrix wants the whole warp
#pragma unroll 2
  for (int it = 0; it < iterations; ++it) {
    const std::uint32_t address = base + slot_of(warp, it, 0) * kSlotBytes;
    uint4 v[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) v[i] = Access::load(address + i * kStep * kSlotBytes);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) sum += v[i].x + v[i].y + v[i].z + v[i].w;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
  sums[blockIdx.x * kThreads + threadIdx.x] = sum;
}

template <typename Access>
class SharedRead : public PreparedKernel {
 public:
  explicit SharedRead(const DeviceInfo& device)
      : blocks_per_sm_(resident_blocks(shared_read_ceiling<Access>)),
        blocks_(device.units * blocks_per_sm_),
        data_(random_words(kWords)),
        spans_(blocks_),
        sums_(static_cast<std::size_t>(blocks_) * kThreads) {}

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::shared] =
        static_cast<double>(kSlotBytes) * kInFlight * turns() * kWarps * blocks_;
    return w;
  }
  void launch(void* stream) override { enqueue(turns(), static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    constexpr int kChecked = kStarts + 3;  // every start, and some twice
    const std::vector<std::uint32_t> words = random_words(kWords);
    data_ = DeviceBuffer<std::uint32_t>(words);
    sums_.fill_bytes(0xff);
    enqueue(kChecked, nullptr);
    const std::vector<std::uint32_t> got = sums_.to_host();
    std::vector<std::uint32_t> expected(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      for (int n = 0; n < kChecked * kInFlight * 4; ++n) {
        const int slot = slot_of(t / 32, n / 4 / kInFlight, n / 4 % kInFlight);
        const int word = slot * kSlotWords + Access::word(t % 32, n % 4);
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
    return {{"instruction", Access::kInstruction},
            {"blocks", std::to_string(blocks_)},
            {"threads_per_block", std::to_string(kThreads)},
            {"in_flight_per_thread", std::to_string(kInFlight)},
            {"buffer_bytes_per_block", std::to_string(4 * kWords)}};
  }

 private:
  int turns() const { return iterations(blocks_per_sm_, kInFlight); }
  void enqueue(int iterations, cudaStream_t stream) {
    shared_read_ceiling<Access>
        <<<blocks_, kThreads, 0, stream>>>(data_.get(), sums_.get(), iterations, spans_.get());
    cuda_check(cudaGetLastError(), std::string("launch the ceiling of ") + Access::kInstruction);
  }

  int blocks_per_sm_;
  int blocks_;
  DeviceBuffer<std::uint32_t> data_;
  SpanBuffer spans_;
  DeviceBuffer<std::uint32_t> sums_;
};

}  // namespace mansard::kernels::shared_memory
