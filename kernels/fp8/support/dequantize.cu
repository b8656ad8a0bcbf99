// SPDX-License-Identifier: Apache-2.0
// FP8 to BF16: 1 + 2 B per element plus the scales.
#include "kernels/device/cuda_check.h"
#include "kernels/fp8/device/decode.cuh"
#include "kernels/fp8/dispatch.h"
#include "kernels/fp8/fp8.h"

namespace mansard::kernels::fp8 {
namespace {

using device::decode_pair;

// Each thread handles eight columns, which share a block in every scheme; each thread block handles
// 8 rows x 256 columns.
constexpr int kCols = 8;
constexpr int kThreadCols = 32;
constexpr int kThreadRows = 8;
constexpr int kColsPerBlock = kCols * kThreadCols;

// Scale factor of an element.
struct NoScales {
  __device__ float at(std::int64_t, std::int64_t) const { return 1.0f; }
};
struct Scales1x128 {
  const float* scales;
  std::int64_t stride;
  __device__ float at(std::int64_t row, std::int64_t col) const {
    return scales[col / kBlock * stride + row];
  }
};
struct Scales128x128 {
  const float* scales;
  std::int64_t stride;
  __device__ float at(std::int64_t row, std::int64_t col) const {
    return scales[row / kBlock * stride + col / kBlock];
  }
};
struct MxScales {
  const std::uint8_t* scales;
  std::int64_t blocks;
  ScaleLayout layout;
  __device__ float at(std::int64_t row, std::int64_t col) const {
    const std::uint32_t e = scales[scale_index(layout, blocks, row, col / kMxBlock)];
    if (e == 0xffu) return __uint_as_float(0x7fffffffu);
    return __uint_as_float(e == 0 ? 0x00400000u : e << 23);
  }
};

template <Format F, bool kAligned, typename Scales>
__global__ void __launch_bounds__(kThreadCols* kThreadRows)
    fp8_dequantize_kernel(const std::uint8_t* __restrict__ codes, Shape shape, Scales scales,
                          Bf16* __restrict__ out) {
  const std::int64_t row = std::int64_t{blockIdx.x} * kThreadRows + threadIdx.y;
  const std::int64_t col = std::int64_t{blockIdx.y} * kColsPerBlock + threadIdx.x * kCols;
  if (row >= shape.rows || col >= shape.cols) return;
  const float scale = scales.at(row, col);
  const std::int64_t first = row * shape.cols + col;
  if constexpr (kAligned) {
    const uint2 c = *reinterpret_cast<const uint2*>(codes + first);
    const uint4 values = {decode_pair<F>(c.x, scale), decode_pair<F>(c.x >> 16, scale),
                          decode_pair<F>(c.y, scale), decode_pair<F>(c.y >> 16, scale)};
    // An intrinsic, because the compiler splits an assignment into four stores.
    __stcg(reinterpret_cast<uint4*>(out + first), values);
  } else {
    const std::int64_t end = min(shape.cols - col, std::int64_t{kCols}) + first;
    for (std::int64_t i = first; i < end; ++i) {
      out[i].bits = static_cast<std::uint16_t>(decode_pair<F>(codes[i], scale));
    }
  }
}

template <typename Scales>
void launch(const char* what, Format format, const std::uint8_t* codes, Shape shape, Scales scales,
            Bf16* out, cudaStream_t stream) {
  check_shape(what, shape);
  const dim3 grid = {static_cast<unsigned>(ceil_div(shape.rows, kThreadRows)),
                     static_cast<unsigned>(ceil_div(shape.cols, kColsPerBlock))};
  const dim3 block = {kThreadCols, kThreadRows};
  for_format(format, [&](auto f) {
    const auto kernel = shape.cols % kCols == 0 ? fp8_dequantize_kernel<f.value, true, Scales>
                                                : fp8_dequantize_kernel<f.value, false, Scales>;
    kernel<<<grid, block, 0, stream>>>(codes, shape, scales, out);
  });
  cuda_check(cudaGetLastError(), std::string("launch ") + what);
}

}  // namespace

void decode(Format format, const std::uint8_t* codes, Shape shape, Bf16* out, cudaStream_t stream) {
  launch("decode FP8", format, codes, shape, NoScales{}, out, stream);
}

void dequantize_1x128(Format format, Blocks in, Shape shape, Bf16* out, cudaStream_t stream) {
  launch("dequantize 1x128", format, in.codes, shape,
         Scales1x128{in.scales, scale_stride(shape.rows)}, out, stream);
}

void dequantize_128x128(Format format, Blocks in, Shape shape, Bf16* out, cudaStream_t stream) {
  launch("dequantize 128x128", format, in.codes, shape,
         Scales128x128{in.scales, scale_stride(ceil_div(shape.cols, kBlock))}, out, stream);
}

void dequantize_mxfp8(Format format, ScaleLayout layout, MxBlocks in, Shape shape, Bf16* out,
                      cudaStream_t stream) {
  launch("dequantize MXFP8", format, in.codes, shape,
         MxScales{in.scales, ceil_div(shape.cols, kMxBlock), layout}, out, stream);
}

}  // namespace mansard::kernels::fp8
