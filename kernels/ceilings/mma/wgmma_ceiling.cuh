// SPDX-License-Identifier: Apache-2.0
// Tensor-core ceiling via wgmma: two warpgroups on every SM multiply tiles that stay in place, so
// that only the tensor pipe is busy. A stays in registers: from shared memory the rate would be the
// same, but at more power and thus, at the power limit, at a lower clock. A format is as for
// TileCeiling, plus multiply(sums, registers of a, descriptor of b).
#pragma once

#include "kernels/ceilings/mma/tile_ceiling.cuh"
#include "kernels/ceilings/mma/wgmma_m64n256.cuh"

namespace mansard::kernels::wgmma {

inline constexpr int kWarpgroups = kTileM / kM;  // one issues while the other's group drains
inline constexpr int kTileB = kN * kTileRowBytes;
inline constexpr int kSharedBytes = kTileB + 1024;  // + alignment slack
static_assert(kN == kTileN);

// `a`: kWarpgroups tiles of 64 rows; `b`: one tile of 256 rows; both in the layout of OperandTile.
// `d` receives each block's tiles of 64 x 256 sums.
template <typename Format>
__global__ void __launch_bounds__(kWarpgroups* kThreads, 1)
    wgmma_ceiling(const uint4* a, const uint4* b, typename Format::Accumulators::Register* d,
                  int iterations, SmSpan* spans) {
  using Accumulators = typename Format::Accumulators;
  extern __shared__ unsigned char raw[];
  // The swizzle uses address bits, so tiles start at multiples of 1024 bytes.
  unsigned char* shared = raw + (1024 - __cvta_generic_to_shared(raw) % 1024) % 1024;
  const int warpgroup = threadIdx.x / kThreads;
  const int lane = threadIdx.x % kThreads;
  for (int i = threadIdx.x; i < kTileB / 16; i += blockDim.x) {
    reinterpret_cast<uint4*>(shared)[i] = b[i];
  }
  std::uint32_t own_a[kTileSteps][kRegistersA];
#pragma unroll
  for (int k = 0; k < kTileSteps; ++k) {
#pragma unroll
    for (int r = 0; r < kRegistersA; ++r) {
      const int row = warpgroup * kM + operand_row(lane, r);
      const int byte = swizzled(row, k * kTileStepBytes + operand_byte(lane, r));
      own_a[k][r] = reinterpret_cast<const std::uint32_t*>(a)[byte / 4];
    }
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // read next by the tensor cores
  __syncthreads();

  typename Accumulators::Register acc[kRegisters<Accumulators>];
#pragma unroll
  for (auto& x : acc) x = 0;
  const std::uint64_t desc_b = descriptor(shared);

  SmSpan span{};
  if (threadIdx.x == 0) span_begin(span);
  for (int it = 0; it < iterations; ++it) {
    fence();
#pragma unroll
    for (int k = 0; k < kTileSteps; ++k) {
      // Addresses in descriptors are in units of 16 bytes.
      const std::uint64_t step = static_cast<std::uint64_t>(k) * (kTileStepBytes / 16);
      Format::multiply(acc, own_a[k], desc_b + step);
    }
    commit();
    wait_all();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    span_end(span);
    spans[blockIdx.x] = span;
  }

  constexpr int kPacked = Accumulators::kPerRegister;
  auto* out =
      d + (static_cast<std::size_t>(blockIdx.x) * kWarpgroups + warpgroup) * (kM * kN / kPacked);
#pragma unroll
  for (int r = 0; r < kRegisters<Accumulators>; ++r) {
    const int i = r * kPacked;
    out[(accumulator_row(lane, i) * kN + accumulator_column(lane, i)) / kPacked] = acc[r];
  }
}

template <typename Format>
class WgmmaCeiling : public TileCeiling<Format> {
 public:
  WgmmaCeiling(const DeviceInfo& device, const PrepareOptions& options)
      : TileCeiling<Format>(device, options) {
    cuda_check(cudaFuncSetAttribute(wgmma_ceiling<Format>,
                                    cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
               "reserve shared memory for the wgmma ceiling");
  }

 private:
  void enqueue(int iterations, cudaStream_t stream) override {
    wgmma_ceiling<Format><<<this->blocks(), kWarpgroups * kThreads, kSharedBytes, stream>>>(
        this->a(), this->b(), this->d(), iterations, this->spans());
    cuda_check(cudaGetLastError(), "launch the wgmma ceiling");
  }
};

// `peak_per_clock`: FLOP or op per clock and SM.
template <typename Format>
KernelSpec wgmma_spec(std::string name, const std::string& what, double peak_per_clock) {
  KernelSpec spec =
      tensor_ceiling_spec<Format>(std::move(name), what + ", A in registers, B in shared memory",
                                  needs_exactly(90, "wgmma exists only on Hopper"));
  spec.peak_per_clock = [peak_per_clock](const DeviceInfo&) { return peak_per_clock; };
  spec.prepare = [](const DeviceInfo& device, const PrepareOptions& options) {
    return std::make_unique<WgmmaCeiling<Format>>(device, options);
  };
  return spec;
}

}  // namespace mansard::kernels::wgmma
