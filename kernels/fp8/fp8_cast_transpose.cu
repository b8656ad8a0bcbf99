// SPDX-License-Identifier: Apache-2.0
// BF16 to FP8 with one scale per tensor, row-wise and transposed, from one reading: 2 + 1 + 1 B per
// element. Before Blackwell, FP8 GEMMs need operands along the reduction axis, so training needs
// both.
#include "kernels/device/cuda_check.h"
#include "kernels/fp8/device/encode_piece.cuh"
#include "kernels/fp8/device/maxima.cuh"
#include "kernels/fp8/device/scale_source.cuh"
#include "kernels/fp8/dispatch.h"
#include "kernels/fp8/fp8.h"
#include "kernels/fp8/operation_helpers.h"
#include "kernels/fp8/reference.h"

namespace mansard::kernels::fp8 {
namespace {

using namespace device;

// Eight warps stacked vertically, 16 rows each; a warp reads 512 bytes of a row.
constexpr int kRows = 16;
constexpr int kCols = 8;

template <Format F, bool kAligned>
__global__ void __launch_bounds__(kThreads, kAligned ? kBlocksPerSm : 1)
    fp8_cast_transpose_kernel(const Bf16* __restrict__ x, Shape shape, ScaleSource source,
                              std::uint8_t* __restrict__ out, std::uint8_t* __restrict__ out_t,
                              float* raised_amax) {
  __shared__ StagedColumns<kCols> staged;
  const Tile tile = this_tile(shape);
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Piece<kRows, kCols> piece(tile, static_cast<int>(threadIdx.x) / 32 * kRows, lane * kCols);
  std::uint32_t words[kRows][kCols / 2];
  load_piece<kAligned>(x, shape, tile, piece, words);
  if (raised_amax != nullptr) {
    std::uint32_t largest = 0;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      largest = max3(largest, magnitudes(words[r][0]), magnitudes(words[r][1]));
      largest = max3(largest, magnitudes(words[r][2]), magnitudes(words[r][3]));
    }
    raise_to_block_max(larger_half(largest), raised_amax);
  }
  const OneScale<F> encoder{take_scale<F>(source)};
  encode_piece<kAligned>(words, encoder, tile, piece, shape, out, staged);
  __syncthreads();
  staged.write(tile, shape, out_t);
}

}  // namespace

void cast_transpose(Format format, const Bf16* x, Shape shape, ScaleSource source,
                    std::uint8_t* out, std::uint8_t* out_t, float* raised_amax,
                    cudaStream_t stream) {
  check_shape("cast and transpose to FP8", shape);
  for_format(format, [&](auto f) {
    const auto kernel = aligned(shape) ? fp8_cast_transpose_kernel<f.value, true>
                                       : fp8_cast_transpose_kernel<f.value, false>;
    kernel<<<tile_grid(shape), kThreads, 0, stream>>>(x, shape, source, out, out_t, raised_amax);
  });
  cuda_check(cudaGetLastError(), "launch cast and transpose to FP8");
}

namespace {

template <Format F>
void add_cast_transpose(KernelRegistry& registry, const char* name, const char* summary) {
  nvfp4::add_operation(
      registry,
      {.name = name,
       .summary = summary,
       .traffic_bytes = traffic::cast_transpose,
       .output_bytes =
           [](Shape s) {
             return std::vector<std::int64_t>{s.elements(), s.elements(), sizeof(TensorScale)};
           },
       .launch =
           [](const nvfp4::Inputs& in, const nvfp4::Outputs& out, Shape shape,
              cudaStream_t stream) {
             cast_transpose(F, in.x, shape, {as_scale(out, 2), in.amax}, out[0], out[1], nullptr,
                            stream);
           },
       .reference =
           [](const nvfp4::Inputs& in, const nvfp4::Outputs& out, Shape shape) {
             *as_scale(out, 2) = reference::tensor_scale(F, *in.amax);
             reference::cast_transpose(F, in.x, shape, as_scale(out, 2)->scale, out[0], out[1],
                                       nullptr);
           },
       .precision = F == Format::e4m3 ? Precision::fp8_e4m3 : Precision::fp8_e5m2});
}

}  // namespace
}  // namespace mansard::kernels::fp8

namespace mansard::kernels {

void register_fp8_cast_transpose(KernelRegistry& registry) {
  fp8::add_cast_transpose<fp8::Format::e4m3>(
      registry, "fp8_cast_transpose_e4m3",
      "BF16 to FP8 E4M3, row-wise and transposed, one scale per tensor (4 B/element)");
  fp8::add_cast_transpose<fp8::Format::e5m2>(
      registry, "fp8_cast_transpose_e5m2",
      "BF16 to FP8 E5M2, row-wise and transposed, one scale per tensor (4 B/element)");
}

}  // namespace mansard::kernels
