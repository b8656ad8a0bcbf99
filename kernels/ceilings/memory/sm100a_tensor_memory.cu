// SPDX-License-Identifier: Apache-2.0
// Tensor memory, which holds the accumulators of Blackwell's datacenter tensor cores: read by
// tcgen05.ld and written by tcgen05.st, as in an epilogue. Compiled by every build with CUDA, but
// not yet run on such a GPU. Source of shapes and addresses: PTX ISA 8.7, "TensorCore 5th
// Generation".
#include <cstdint>
#include <random>

#include "kernels/device/device_buffer.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"

namespace mansard::kernels {
namespace {

// A warp accesses the 32 lanes that correspond to its index modulo 4. Four warps cover tensor
// memory; more would only queue. Must be a multiple of four.
constexpr int kWarps = 4;
constexpr int kThreads = 32 * kWarps;
constexpr int kColumns = 512;  // all columns, 4 bytes per lane each
constexpr int kWidth = 32;     // columns per instruction: shape 32x32b, .x32
constexpr int kInFlight = 4;   // loads before a wait, with 32 registers each
constexpr int kPasses = 2048;  // over all columns
constexpr double kPassBytes = 4.0 * 32 * kColumns * kWarps;
static_assert(kColumns % (kWidth * kInFlight) == 0, "whole rounds cover the columns");

// Initial value of a column, written by the thread of a lane.
__host__ __device__ inline std::uint32_t content(std::uint32_t thread, std::uint32_t column,
                                                 std::uint32_t seed) {
  return (thread * kColumns + column) * 2654435761u ^ seed;
}

#if defined(__CUDA_ARCH_FEAT_SM100_ALL)

__device__ __forceinline__ void load(std::uint32_t (&v)[kWidth], std::uint32_t address) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
      "%30, %31 "
      "}, [%32];"
      : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]),
        "=r"(v[7]), "=r"(v[8]), "=r"(v[9]), "=r"(v[10]), "=r"(v[11]), "=r"(v[12]), "=r"(v[13]),
        "=r"(v[14]), "=r"(v[15]), "=r"(v[16]), "=r"(v[17]), "=r"(v[18]), "=r"(v[19]), "=r"(v[20]),
        "=r"(v[21]), "=r"(v[22]), "=r"(v[23]), "=r"(v[24]), "=r"(v[25]), "=r"(v[26]), "=r"(v[27]),
        "=r"(v[28]), "=r"(v[29]), "=r"(v[30]), "=r"(v[31])
      : "r"(address));
}

__device__ __forceinline__ void store(std::uint32_t address, const std::uint32_t (&v)[kWidth]) {
  asm volatile(
      "tcgen05.st.sync.aligned.32x32b.x32.b32 [%0], {"
      "%1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
      "%30, %31, %32 "
      "};"
      :
      : "r"(address), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]), "r"(v[4]), "r"(v[5]), "r"(v[6]),
        "r"(v[7]), "r"(v[8]), "r"(v[9]), "r"(v[10]), "r"(v[11]), "r"(v[12]), "r"(v[13]), "r"(v[14]),
        "r"(v[15]), "r"(v[16]), "r"(v[17]), "r"(v[18]), "r"(v[19]), "r"(v[20]), "r"(v[21]),
        "r"(v[22]), "r"(v[23]), "r"(v[24]), "r"(v[25]), "r"(v[26]), "r"(v[27]), "r"(v[28]),
        "r"(v[29]), "r"(v[30]), "r"(v[31])
      : "memory");
}

__device__ __forceinline__ void wait_loads() {
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}
// Placed between wait_loads() and the use of a register, which otherwise are not ordered.
__device__ __forceinline__ std::uint32_t arrived(std::uint32_t word) {
  asm volatile("" : "+r"(word));
  return word;
}
__device__ __forceinline__ void wait_stores() {
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}

// Returns the address of this warp's lanes. The lower half of an address is the column, the upper
// half the lane.
__device__ __forceinline__ std::uint32_t allocate(std::uint32_t* slot) {
  if (threadIdx.x < 32) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                     static_cast<std::uint32_t>(__cvta_generic_to_shared(slot))),
                 "r"(kColumns)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  return *slot + ((threadIdx.x / 32 % 4 * 32) << 16);
}

__device__ __forceinline__ void release(const std::uint32_t* slot) {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  if (threadIdx.x < 32) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(*slot),
                 "r"(kColumns));
  }
}

#endif

// `sums` receives the sum of the words that each thread read: of all words, or of the first and the
// last of each load, which keeps the load whole without adding work for the arithmetic units.
template <bool kEveryWord>
__global__ void __launch_bounds__(kThreads, 1)
    tensor_memory_read_ceiling(std::uint32_t* sums, std::uint32_t seed, int passes, SmSpan* spans) {
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
  __shared__ std::uint32_t slot;
  const std::uint32_t base = allocate(&slot);
  std::uint32_t v[kInFlight][kWidth];
  for (int column = 0; column < kColumns; column += kWidth) {
#pragma unroll
    for (int r = 0; r < kWidth; ++r) v[0][r] = content(threadIdx.x % 128, column + r, seed);
    store(base + column, v[0]);
  }
  wait_stores();
  __syncthreads();
  std::uint32_t sum = 0;
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
  __syncwarp();  // tcgen05 instructions require the whole warp
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 1
    for (int column = 0; column < kColumns; column += kWidth * kInFlight) {
#pragma unroll
      for (int i = 0; i < kInFlight; ++i) load(v[i], base + column + i * kWidth);
      wait_loads();
#pragma unroll
      for (int i = 0; i < kInFlight; ++i) {
#pragma unroll
        for (int r = 0; r < kWidth; r += kEveryWord ? 1 : kWidth - 1) sum += arrived(v[i][r]);
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
  sums[blockIdx.x * kThreads + threadIdx.x] = sum;
  release(&slot);
#endif
}

// Every store writes the thread's words for columns 0 to 31, with the pass number added to the
// first. If `result` is not null, it receives all words of each block.
__global__ void __launch_bounds__(kThreads, 1)
    tensor_memory_write_ceiling(std::uint32_t* result, std::uint32_t seed, int passes,
                                SmSpan* spans) {
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
  __shared__ std::uint32_t slot;
  const std::uint32_t base = allocate(&slot);
  std::uint32_t v[kWidth];
#pragma unroll
  for (int r = 0; r < kWidth; ++r) v[r] = content(threadIdx.x % 128, r, seed);
  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
  __syncwarp();  // tcgen05 instructions require the whole warp
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll
    for (int column = 0; column < kColumns; column += kWidth) store(base + column, v);
    ++v[0];
  }
  wait_stores();
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }
  __syncwarp();
  if (result != nullptr) {
    std::uint32_t* row = result + (blockIdx.x * kThreads + threadIdx.x) * kColumns;
    for (int column = 0; column < kColumns; column += kWidth) {
      load(v, base + column);
      wait_loads();
#pragma unroll
      for (int r = 0; r < kWidth; ++r) row[column + r] = arrived(v[r]);
    }
  }
  release(&slot);
#endif
}

class TensorMemory : public PreparedKernel {
 public:
  explicit TensorMemory(const DeviceInfo& device)
      : blocks_(device.units),
        spans_(blocks_),
        words_(static_cast<std::size_t>(blocks_) * kThreads * kColumns) {}

  Work work() const override {
    Work w;
    w.bytes[MemoryLevel::tensor_memory] = kPassBytes * kPasses * blocks_;
    return w;
  }
  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }

 protected:
  std::map<std::string, std::string> parameters_of(const char* instruction) const {
    return {{"instruction", instruction},
            {"warps", std::to_string(kWarps)},
            {"blocks", std::to_string(blocks_)},
            {"passes", std::to_string(kPasses)}};
  }

  int blocks_;
  SpanBuffer spans_;
  DeviceBuffer<std::uint32_t> words_;  // results of a check; reads use the first of them
};

class TensorMemoryRead : public TensorMemory {
 public:
  using TensorMemory::TensorMemory;
  void launch(void* stream) override {
    enqueue<false>(1, kPasses, static_cast<cudaStream_t>(stream));
  }
  std::string verify() override {
    const std::string difference = check<true>();
    return difference.empty() ? check<false>() : difference;
  }
  std::map<std::string, std::string> parameters() const override {
    return parameters_of("tcgen05.ld.sync.aligned.32x32b.x32.b32");
  }

 private:
  template <bool kEveryWord>
  std::string check() {
    constexpr int kChecked = 3;
    const std::uint32_t seed = std::random_device{}();
    words_.fill_bytes(0xff);
    enqueue<kEveryWord>(seed, kChecked, nullptr);
    const std::vector<std::uint32_t> got = words_.to_host();
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(blocks_ * kThreads); ++i) {
      std::uint32_t expected = 0;
      for (std::uint32_t column = 0; column < kColumns; ++column) {
        const bool at_end = column % kWidth == 0 || column % kWidth == kWidth - 1;
        if (kEveryWord || at_end) expected += kChecked * content(i % kThreads % 128, column, seed);
      }
      if (got[i] == expected) continue;
      return "thread " + std::to_string(i % kThreads) + " of block " +
             std::to_string(i / kThreads) + " read words with the sum " + std::to_string(got[i]) +
             ", expected " + std::to_string(expected);
    }
    return "";
  }
  template <bool kEveryWord>
  void enqueue(std::uint32_t seed, int passes, cudaStream_t stream) {
    tensor_memory_read_ceiling<kEveryWord>
        <<<blocks_, kThreads, 0, stream>>>(words_.get(), seed, passes, spans_.get());
    cuda_check(cudaGetLastError(), "launch the tensor memory read ceiling");
  }
};

class TensorMemoryWrite : public TensorMemory {
 public:
  using TensorMemory::TensorMemory;
  void launch(void* stream) override {
    enqueue(nullptr, 1, kPasses, static_cast<cudaStream_t>(stream));
  }
  std::string verify() override {
    constexpr std::uint32_t kChecked = 3;
    const std::uint32_t seed = std::random_device{}();
    words_.fill_bytes(0xff);
    enqueue(words_.get(), seed, kChecked, nullptr);
    const std::vector<std::uint32_t> got = words_.to_host();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto thread = static_cast<std::uint32_t>(i / kColumns % kThreads);
      const auto column = static_cast<std::uint32_t>(i % kWidth);
      const std::uint32_t expected =
          content(thread % 128, column, seed) + (column == 0 ? kChecked - 1 : 0);
      if (got[i] == expected) continue;
      return "column " + std::to_string(i % kColumns) + " of thread " + std::to_string(thread) +
             " of block " + std::to_string(i / kColumns / kThreads) + " holds " +
             std::to_string(got[i]) + ", expected " + std::to_string(expected);
    }
    return "";
  }
  std::map<std::string, std::string> parameters() const override {
    return parameters_of("tcgen05.st.sync.aligned.32x32b.x32.b32");
  }

 private:
  void enqueue(std::uint32_t* result, std::uint32_t seed, int passes, cudaStream_t stream) {
    tensor_memory_write_ceiling<<<blocks_, kThreads, 0, stream>>>(result, seed, passes,
                                                                  spans_.get());
    cuda_check(cudaGetLastError(), "launch the tensor memory write ceiling");
  }
};

template <typename Prepared>
KernelSpec tensor_memory_spec(std::string name, std::string summary, bool roof) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.role = KernelRole::bandwidth_ceiling;
  spec.level = MemoryLevel::tensor_memory;
  spec.roof = roof;
  spec.fixed_pattern = "hashed integers";
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.compute_capability == 100 ? "" : "needs compute capability 10.0";
  };
  spec.peak_per_clock = [](const DeviceInfo&) { return 0.0; };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions&) {
    return std::make_unique<Prepared>(device);
  };
  return spec;
}

}  // namespace

void register_sm100a_tensor_memory(KernelRegistry& registry) {
  registry.add(tensor_memory_spec<TensorMemoryRead>(
      "tensor_memory_read", "Tensor-memory reads with tcgen05.ld (untested)", true));
  registry.add(tensor_memory_spec<TensorMemoryWrite>(
      "tensor_memory_write", "Tensor-memory writes with tcgen05.st (untested)", false));
}

}  // namespace mansard::kernels
