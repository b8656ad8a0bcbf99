// SPDX-License-Identifier: Apache-2.0
// Blackwell's datacenter tensor cores: one thread of each SM issues 128 x 256 x 16 products whose
// operands stay in shared memory and whose accumulators stay in tensor memory. Compiled by every
// build with CUDA; not yet run on such a GPU.
// Source of instruction, descriptors and layouts: PTX ISA 8.7, "TensorCore 5th Generation".
#include <cstring>
#include <random>

#include <cuda_bf16.h>

#include "kernels/device/device_buffer.h"
#include "kernels/device/sm_clock.cuh"
#include "kernels/kernel.h"
#include "kernels/mma/accumulation_error.h"
#include "kernels/mma/operand_pattern.h"

namespace mansard {
namespace {

constexpr int kM = 128;
constexpr int kN = 256;
constexpr int kK = 16;
constexpr int kRowBytes = 128;  // the swizzle's width: 64 elements
constexpr int kSteps = kRowBytes / (2 * kK);
constexpr int kTileA = kM * kRowBytes;
constexpr int kTileB = kN * kRowBytes;
constexpr int kSharedBytes = kTileA + kTileB + 1024;  // + alignment slack
constexpr int kThreads = 128;                         // four warps read the 128 lanes of the result
constexpr int kIterations = 4096;

// D is FP32 (1), A and B are BF16 (1), both K-major, no negation.
constexpr std::uint32_t kInstructionDescriptor =
    (1u << 4) | (1u << 7) | (1u << 10) | ((kN / 8u) << 17) | ((kM / 16u) << 24);

constexpr int swizzled(int row, int column) {
  return row * kRowBytes + ((((column / 16) ^ (row & 7)) * 16) | (column % 16));
}

#if defined(__CUDA_ARCH_FEAT_SM100_ALL)

__device__ __forceinline__ std::uint64_t shared_descriptor(std::uint32_t address) {
  constexpr std::uint64_t kGroupStride = 8 * kRowBytes;
  constexpr std::uint64_t kVersion = 1;
  constexpr std::uint64_t kSwizzle128 = 2;
  return ((address & 0x3ffffu) >> 4) | (std::uint64_t{1} << 16) | ((kGroupStride >> 4) << 32) |
         (kVersion << 46) | (kSwizzle128 << 61);
}

__device__ __forceinline__ void multiply(std::uint32_t d, std::uint64_t a, std::uint64_t b,
                                         std::uint32_t accumulate) {
  asm volatile(
      "{ .reg .pred p; setp.ne.u32 p, %4, 0;"
      "  tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }"
      :
      : "r"(d), "l"(a), "l"(b), "r"(kInstructionDescriptor), "r"(accumulate)
      : "memory");
}

__device__ __forceinline__ void wait_phase_zero(std::uint32_t barrier) {
  asm volatile(
      "{ .reg .pred p;"
      "WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;"
      "  @!p bra WAIT; }"
      :
      : "r"(barrier)
      : "memory");
}

__device__ __forceinline__ float load_tensor_memory(std::uint32_t address) {
  std::uint32_t bits = 0;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(bits) : "r"(address));
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
  return __uint_as_float(bits);
}

#endif

// `a`: 128 rows, `b`: 256 rows of 64 elements, swizzled. `d`: each block's 128 x 256 in row-major
// order.
__global__ void __launch_bounds__(kThreads, 1)
    tcgen05_bf16_ceiling(const uint4* a, const uint4* b, float* d, int iterations, SmSpan* spans) {
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
  extern __shared__ unsigned char raw[];
  __shared__ std::uint32_t tensor_memory;
  __shared__ std::uint64_t done;
  unsigned char* shared = raw + (1024 - __cvta_generic_to_shared(raw) % 1024) % 1024;
  for (int i = threadIdx.x; i < kTileA / 16; i += kThreads) {
    reinterpret_cast<uint4*>(shared)[i] = a[i];
  }
  for (int i = threadIdx.x; i < kTileB / 16; i += kThreads) {
    reinterpret_cast<uint4*>(shared + kTileA)[i] = b[i];
  }
  const auto barrier = static_cast<std::uint32_t>(__cvta_generic_to_shared(&done));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  }
  if (threadIdx.x < 32) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(
                     static_cast<std::uint32_t>(__cvta_generic_to_shared(&tensor_memory))),
                 "r"(kN)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  const std::uint32_t accumulators = tensor_memory;

  if (threadIdx.x == 0) {
    const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
    const std::uint64_t desc_a = shared_descriptor(base);
    const std::uint64_t desc_b = shared_descriptor(base + kTileA);
    SmSpan span{};
    span_begin(span);
    for (int it = 0; it < iterations; ++it) {
#pragma unroll
      for (int k = 0; k < kSteps; ++k) {
        const std::uint64_t step = static_cast<std::uint64_t>(k) * (2 * kK / 16);
        multiply(accumulators, desc_a + step, desc_b + step, it > 0 || k > 0 ? 1u : 0u);
      }
    }
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier)
        : "memory");
    wait_phase_zero(barrier);
    span_end(span);
    spans[blockIdx.x] = span;
  }
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  const std::uint32_t lanes = (threadIdx.x / 32) * 32;
  float* row = d + (static_cast<std::size_t>(blockIdx.x) * kM + threadIdx.x) * kN;
  for (int n = 0; n < kN; ++n) row[n] = load_tensor_memory(accumulators + (lanes << 16) + n);
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  if (threadIdx.x < 32) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(accumulators),
                 "r"(kN));
  }
#endif
}

class Tcgen05Bf16 : public PreparedKernel {
 public:
  Tcgen05Bf16(const DeviceInfo& device, const PrepareOptions& options)
      : blocks_(device.units),
        options_(options),
        d_(static_cast<std::size_t>(blocks_) * kM * kN),
        spans_(blocks_) {
    cuda_check(cudaFuncSetAttribute(tcgen05_bf16_ceiling,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
               "reserve shared memory for the tcgen05 ceiling");
    fill(options_.pattern, options_.seed);
  }

  Work work() const override {
    Work w;
    w.flop = 2.0 * kM * kN * kK * kSteps * blocks_ * kIterations;
    return w;
  }
  void launch(void* stream) override { enqueue(kIterations, static_cast<cudaStream_t>(stream)); }

  std::string verify() override {
    constexpr int kChecked = 3;
    fill(DataPattern::random_normal, std::random_device{}());
    d_.fill_bytes(0xff);
    enqueue(kChecked, nullptr);
    cuda_check(cudaDeviceSynchronize(), "run the tcgen05 ceiling");
    const std::string difference = compare(kChecked);
    fill(options_.pattern, options_.seed);
    return difference;
  }
  double elapsed_cycles() override { return spans_.cycles(); }
  double elapsed_device_s() override { return spans_.seconds(); }
  std::map<std::string, std::string> parameters() const override {
    return {{"instruction", "tcgen05.mma.cta_group::1.kind::f16 m128n256k16"},
            {"blocks", std::to_string(blocks_)},
            {"iterations", std::to_string(kIterations)}};
  }

 private:
  void enqueue(int iterations, cudaStream_t stream) {
    tcgen05_bf16_ceiling<<<blocks_, kThreads, kSharedBytes, stream>>>(
        reinterpret_cast<const uint4*>(a_.get()), reinterpret_cast<const uint4*>(b_.get()),
        d_.get(), iterations, spans_.get());
    cuda_check(cudaGetLastError(), "launch the tcgen05 ceiling");
  }

  void fill(DataPattern pattern, std::uint64_t seed) {
    OperandPattern draw(pattern, seed);
    const auto tile = [&](int rows) {
      std::vector<unsigned char> bytes(static_cast<std::size_t>(rows) * kRowBytes);
      for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < kRowBytes / 2; ++k) {
          const __nv_bfloat16 e = __float2bfloat16(draw());
          std::memcpy(&bytes[static_cast<std::size_t>(swizzled(r, 2 * k))], &e, sizeof e);
        }
      }
      return bytes;
    };
    host_a_ = tile(kM);
    host_b_ = tile(kN);
    a_ = DeviceBuffer<unsigned char>(host_a_);
    b_ = DeviceBuffer<unsigned char>(host_b_);
  }

  static double element(const std::vector<unsigned char>& bytes, int row, int k) {
    __nv_bfloat16 e;
    std::memcpy(&e, &bytes[static_cast<std::size_t>(swizzled(row, 2 * k))], sizeof e);
    return __bfloat162float(e);
  }

  std::string compare(int iterations) const {
    const std::vector<float> d = d_.to_host();
    AccumulationError error;
    for (int m = 0; m < kM; ++m) {
      for (int n = 0; n < kN; ++n) {
        double expected = 0;
        for (int k = 0; k < kRowBytes / 2; ++k) {
          expected += element(host_a_, m, k) * element(host_b_, n, k);
        }
        for (int block = 0; block < blocks_; block += std::max(1, blocks_ - 1)) {
          error.add(d[(static_cast<std::size_t>(block) * kM + m) * kN + n], iterations * expected);
        }
      }
    }
    constexpr int kFractionBits = 22;  // FP32 accumulation, truncated
    return error.judge(iterations * kSteps, kFractionBits);
  }

  int blocks_;
  PrepareOptions options_;
  std::vector<unsigned char> host_a_;
  std::vector<unsigned char> host_b_;
  DeviceBuffer<unsigned char> a_;
  DeviceBuffer<unsigned char> b_;
  DeviceBuffer<float> d_;
  SpanBuffer spans_;
};

}  // namespace

void register_sm100a_tcgen05_bf16(KernelRegistry& registry) {
  KernelSpec spec;
  spec.name = "tcgen05_bf16";
  spec.summary = "BF16 tensor cores by tcgen05, accumulators in tensor memory";
  spec.role = KernelRole::compute_ceiling;
  spec.precision = Precision::bf16;
  spec.patterned = true;
  spec.sustained = true;
  spec.unsupported = [](const DeviceInfo& device) -> std::string {
    return device.compute_capability == 100 ? "" : "needs compute capability 10.0";
  };
  // 8192 FLOP a clock and SM: B200 datasheet, 2250 TFLOP/s over 148 SMs at 1.86 GHz.
  spec.peak_per_clock = [](const DeviceInfo&) { return 8192.0; };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<Tcgen05Bf16>(device, options);
  };
  registry.add(std::move(spec));
}

}  // namespace mansard
