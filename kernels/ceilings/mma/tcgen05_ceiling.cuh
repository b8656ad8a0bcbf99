// SPDX-License-Identifier: Apache-2.0
// Blackwell's datacenter tensor cores: one thread of each SM issues 128 x 256 products whose
// operands stay in shared memory and whose accumulators stay in tensor memory. A format is as for
// TileCeiling, plus kProduct and
//   multiply(d, a, b, descriptor, accumulate), or with block scales
//   multiply(d, a, b, descriptor, scales_a, scales_b, accumulate)
//
// Written from the PTX ISA and compiled by every build with CUDA, but not yet run on such a GPU.
// The parts that a machine without one can check (bit fields, layouts, presence of the instruction)
// are tested; verify() will check the rest on the first run.
#pragma once

#include "kernels/ceilings/mma/tcgen05_descriptor.h"
#include "kernels/ceilings/mma/tcgen05_instructions.cuh"
#include "kernels/ceilings/mma/tile_ceiling.cuh"

namespace mansard::kernels::tcgen05 {

inline constexpr int kThreads = 128;  // four warps read the 128 lanes of the result
constexpr Product tile_product(std::uint32_t operands, std::uint32_t sum = type::kSumF32) {
  return {.sum = sum, .operands = operands, .m = kTileM, .n = kTileN};
}
constexpr ScaledProduct scaled_tile_product(std::uint32_t operands, std::uint32_t scales) {
  return {.operands = operands, .scales = scales, .m = kTileM, .n = kTileN};
}

inline constexpr int kTileBytesA = kTileM * kTileRowBytes;
inline constexpr int kTileBytesB = kTileN * kTileRowBytes;

// Columns of tensor memory: the sums, the scales of A, then the scales of B.
inline constexpr int kSumColumns = kTileN;
inline constexpr int kRowAtomsA = kTileM / kScaleAtomRows;
inline constexpr int kRowAtomsB = kTileN / kScaleAtomRows;
inline constexpr int kScaleColumnsA = kRowAtomsA * kScaleAtomColumns;  // one cell per row
inline constexpr int kScaleColumnsB = kRowAtomsB * kScaleAtomColumns;

// Bytes of the scales of a tile of `rows` rows, for all steps.
template <typename Format>
constexpr int scale_bytes(int rows) {
  if constexpr (BlockScaled<Format>) {
    return rows * OperandTile<typename Format::Element>::kColumns / Format::kScaleBlock;
  } else {
    return 0;
  }
}

template <typename Format>
struct SharedLayout {
  static constexpr int kA = 0;
  static constexpr int kB = kA + kTileBytesA;
  static constexpr int kScalesA = kB + kTileBytesB;
  static constexpr int kScalesB = kScalesA + scale_bytes<Format>(kTileM);
  static constexpr int kEnd = kScalesB + scale_bytes<Format>(kTileN);
  static constexpr int kBytes = kEnd + 1024;  // + alignment slack
};

template <typename Format>
inline constexpr int kAllocatedColumns = BlockScaled<Format> ? 512 : kSumColumns;

__device__ __forceinline__ void copy_tile(unsigned char* to, const uint4* from, int bytes) {
  for (int i = threadIdx.x; i < bytes / 16; i += kThreads)
    reinterpret_cast<uint4*>(to)[i] = from[i];
}

// Copies `bytes` of atoms to tensor memory, starting at column `columns`.
__device__ __forceinline__ void place_scales(std::uint32_t columns, std::uint32_t shared,
                                             int bytes) {
  constexpr std::uint32_t kGroupStride = 8 * 16;  // 8 lanes of 16 bytes
  for (int atom = 0; atom < bytes / kScaleAtomBytes; ++atom) {
    copy_scales(columns + atom * kScaleAtomColumns,
                matrix_descriptor(shared + atom * kScaleAtomBytes, kGroupStride, Swizzle::none));
  }
}

// One row of the swizzle: kTileSteps products. Executed by one thread.
template <typename Format>
__device__ __forceinline__ void multiply_row(std::uint32_t sums, std::uint64_t a, std::uint64_t b,
                                             bool first) {
#pragma unroll
  for (int k = 0; k < kTileSteps; ++k) {
    // Addresses in descriptors are in units of 16 bytes.
    const std::uint64_t step = static_cast<std::uint64_t>(k) * (kTileStepBytes / 16);
    const std::uint32_t accumulate = first && k == 0 ? 0 : 1;
    if constexpr (BlockScaled<Format>) {
      constexpr ScaledProduct kProduct = Format::kProduct;
      constexpr int kScales = kTileStepBytes * 8 / Format::Element::kBits / Format::kScaleBlock;
      constexpr int kColumnsA = scale_bytes<Format>(kTileM) / kScaleAtomBytes * kScaleAtomColumns;
      const ScalePlace place = scale_place(k * kScales);
      const std::uint32_t scales_a = sums + kSumColumns + place.cell * kScaleColumnsA;
      const std::uint32_t scales_b = sums + kSumColumns + kColumnsA + place.cell * kScaleColumnsB;
      Format::multiply(sums, a + step, b + step, scaled_descriptor(kProduct, place.byte), scales_a,
                       scales_b, accumulate);
    } else {
      constexpr std::uint32_t kDescriptor = instruction_descriptor(Format::kProduct);
      Format::multiply(sums, a + step, b + step, kDescriptor, accumulate);
    }
  }
}

// `a`: 128 rows, `b`: 256 rows, swizzled, with their scales. `d`: 128 x 256 sums of each block.
template <typename Format>
__global__ void __launch_bounds__(kThreads, 1)
    tcgen05_ceiling(const uint4* a, const uint4* b, const uint4* scales_a, const uint4* scales_b,
                    typename Format::Accumulators::Register* d, int iterations, SmSpan* spans) {
  using Shared = SharedLayout<Format>;
  extern __shared__ unsigned char raw[];
  __shared__ std::uint32_t tensor_memory;
  __shared__ std::uint64_t done;
  // The swizzle uses address bits, so tiles start at multiples of 1024 bytes.
  unsigned char* shared = raw + (1024 - __cvta_generic_to_shared(raw) % 1024) % 1024;
  copy_tile(shared + Shared::kA, a, kTileBytesA);
  copy_tile(shared + Shared::kB, b, kTileBytesB);
  copy_tile(shared + Shared::kScalesA, scales_a, scale_bytes<Format>(kTileM));
  copy_tile(shared + Shared::kScalesB, scales_b, scale_bytes<Format>(kTileN));
  const std::uint32_t barrier = shared_address(&done);
  if (threadIdx.x < 32) allocate<kAllocatedColumns<Format>>(shared_address(&tensor_memory));
  if (threadIdx.x == 32) initialize_barrier(barrier);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // read next by the tensor cores
  fence_before_barrier();
  __syncthreads();
  fence_after_barrier();
  const std::uint32_t sums = tensor_memory;

  if (threadIdx.x == 0) {
    const std::uint32_t base = shared_address(shared);
    constexpr std::uint32_t kGroupStride = 8 * kTileRowBytes;
    const auto desc_a = matrix_descriptor(base + Shared::kA, kGroupStride, Swizzle::bytes_128);
    const auto desc_b = matrix_descriptor(base + Shared::kB, kGroupStride, Swizzle::bytes_128);
    SmSpan span{};
    span_begin(span);
    place_scales(sums + kSumColumns, base + Shared::kScalesA,
                 Shared::kEnd - Shared::kScalesA);  // A's atoms, then B's
    for (int it = 0; it < iterations; ++it) multiply_row<Format>(sums, desc_a, desc_b, it == 0);
    commit(barrier);
    wait_first_phase(barrier);
    span_end(span);
    spans[blockIdx.x] = span;
  }
  __syncthreads();
  wait_first_phase(barrier);  // every reader must itself observe the end of the products
  fence_after_barrier();
  const std::uint32_t lanes = threadIdx.x / 32 * 32;
  auto* row = d + (static_cast<std::size_t>(blockIdx.x) * kTileM + threadIdx.x) * kTileN;
  for (int n = 0; n < kTileN; ++n) {
    const std::uint32_t bits = load(sums + (lanes << 16) + n);
    memcpy(&row[n], &bits, sizeof bits);
  }
  fence_before_barrier();
  __syncthreads();
  if (threadIdx.x < 32) release<kAllocatedColumns<Format>>(sums);
}

template <typename Format>
class Tcgen05Ceiling : public TileCeiling<Format> {
 public:
  static_assert(Format::Accumulators::kPerRegister == 1);

  Tcgen05Ceiling(const DeviceInfo& device, const PrepareOptions& options)
      : TileCeiling<Format>(device, options) {
    cuda_check(
        cudaFuncSetAttribute(tcgen05_ceiling<Format>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             SharedLayout<Format>::kBytes),
        "reserve shared memory for the tcgen05 ceiling");
  }

 private:
  void enqueue(int iterations, cudaStream_t stream) override {
    tcgen05_ceiling<Format><<<this->blocks(), kThreads, SharedLayout<Format>::kBytes, stream>>>(
        this->a(), this->b(), this->scales_a(), this->scales_b(), this->d(), iterations,
        this->spans());
    cuda_check(cudaGetLastError(), "launch the tcgen05 ceiling");
  }
};

// `peak_per_clock`: FLOP or op per clock and SM.
template <typename Format>
KernelSpec tcgen05_spec(std::string name, const std::string& what, double peak_per_clock) {
  KernelSpec spec = tensor_ceiling_spec<Format>(
      std::move(name), what + " via tcgen05, accumulators in tensor memory (untested)",
      needs_exactly(100, "tensor memory"));
  spec.peak_per_clock = [peak_per_clock](const DeviceInfo&) { return peak_per_clock; };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<Tcgen05Ceiling<Format>>(device, options);
  };
  return spec;
}

}  // namespace mansard::kernels::tcgen05
