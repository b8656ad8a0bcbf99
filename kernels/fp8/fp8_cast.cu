// SPDX-License-Identifier: Apache-2.0
// BF16 to FP8 in the same order, and amax alone. Both treat a matrix without padding as one run of
// elements. 2 + 1 B per element; 2 B per element for amax alone.
#include "kernels/device/cuda_check.h"
#include "kernels/fp8/device/maxima.cuh"
#include "kernels/fp8/device/predicated_load.cuh"
#include "kernels/fp8/device/scale_source.cuh"
#include "kernels/fp8/dispatch.h"
#include "kernels/fp8/fp8.h"
#include "kernels/fp8/operation_helpers.h"
#include "kernels/fp8/reference.h"

namespace mansard::kernels::fp8 {
namespace {

using namespace device;

constexpr int kCastThreads = 256;
constexpr int kInFlight = 4;  // independent 16-byte loads per thread
constexpr std::int64_t kVectorsPerBlock = kCastThreads * kInFlight;

// `out` may be nullptr in the instantiation that only computes amax.
template <Format F, bool kCast>
__global__ void __launch_bounds__(kCastThreads)
    fp8_cast_kernel(const Bf16* __restrict__ x, std::int64_t elements, ScaleSource source,
                    std::uint8_t* __restrict__ out, float* raised_amax) {
  const std::int64_t count = elements / 8;
  const std::int64_t first = blockIdx.x * kVectorsPerBlock + threadIdx.x;
  std::uint32_t words[kInFlight][4];
#pragma unroll
  for (int i = 0; i < kInFlight; ++i) {
    const std::int64_t at = first + i * kCastThreads;
    load_if(at < count, x + 8 * at, words[i]);
  }
  // The remaining elements (less than a vector), one for each of the first threads.
  const std::int64_t tail = count * 8 + threadIdx.x;
  const bool has_tail = blockIdx.x == 0 && tail < elements;
  const std::uint32_t last = has_tail ? x[tail].bits : 0u;

  if (raised_amax != nullptr) {
    std::uint32_t largest = magnitudes(last);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      largest = max3(largest, magnitudes(words[i][0]), magnitudes(words[i][1]));
      largest = max3(largest, magnitudes(words[i][2]), magnitudes(words[i][3]));
    }
    raise_to_block_max(larger_half(largest), raised_amax);
  }
  if constexpr (kCast) {
    const float scale = take_scale<F>(source);
    const auto scaled = [scale](std::uint32_t low, std::uint32_t high) {
      return encode_four<F>(__fmul_rn(low_bf16(low), scale), __fmul_rn(high_bf16(low), scale),
                            __fmul_rn(low_bf16(high), scale), __fmul_rn(high_bf16(high), scale));
    };
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      const std::int64_t at = first + i * kCastThreads;
      if (at >= count) break;
      __stcs(reinterpret_cast<uint2*>(out) + at,
             make_uint2(scaled(words[i][0], words[i][1]), scaled(words[i][2], words[i][3])));
    }
    if (has_tail) out[tail] = static_cast<std::uint8_t>(scaled(last, 0u));
  }
}

unsigned cast_grid(std::int64_t elements) {
  return static_cast<unsigned>(ceil_div(elements, 8 * kVectorsPerBlock));
}

}  // namespace

void amax(const Bf16* x, Shape shape, float* out, cudaStream_t stream) {
  check_shape("amax", shape);
  cuda_check(cudaMemsetAsync(out, 0, sizeof *out, stream), "clear amax");
  const std::int64_t n = shape.elements();
  fp8_cast_kernel<Format::e4m3, false>
      <<<cast_grid(n), kCastThreads, 0, stream>>>(x, n, {}, nullptr, out);
  cuda_check(cudaGetLastError(), "launch amax");
}

void cast(Format format, const Bf16* x, Shape shape, ScaleSource source, std::uint8_t* out,
          float* raised_amax, cudaStream_t stream) {
  check_shape("cast to FP8", shape);
  const std::int64_t n = shape.elements();
  for_format(format, [&](auto f) {
    fp8_cast_kernel<f.value, true>
        <<<cast_grid(n), kCastThreads, 0, stream>>>(x, n, source, out, raised_amax);
  });
  cuda_check(cudaGetLastError(), "launch cast to FP8");
}

}  // namespace mansard::kernels::fp8

namespace mansard::kernels {

void register_fp8_cast(KernelRegistry& registry) {
  using namespace fp8;
  nvfp4::add_operation(
      registry,
      {.name = "fp8_cast_e4m3",
       .summary = "BF16 to FP8 E4M3, one scale per tensor (3 B/element)",
       .traffic_bytes = traffic::cast,
       .output_bytes =
           [](Shape s) {
             return std::vector<std::int64_t>{s.elements(), sizeof(TensorScale)};
           },
       .launch =
           [](const nvfp4::Inputs& in, const nvfp4::Outputs& out, Shape shape,
              cudaStream_t stream) {
             cast(Format::e4m3, in.x, shape, {as_scale(out, 1), in.amax}, out[0], nullptr, stream);
           },
       .reference =
           [](const nvfp4::Inputs& in, const nvfp4::Outputs& out, Shape shape) {
             *as_scale(out, 1) = reference::tensor_scale(Format::e4m3, *in.amax);
             reference::cast(Format::e4m3, in.x, shape, as_scale(out, 1)->scale, out[0], nullptr);
           },
       .precision = Precision::fp8_e4m3});
}

}  // namespace mansard::kernels
