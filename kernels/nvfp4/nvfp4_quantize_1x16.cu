// SPDX-License-Identifier: Apache-2.0
// Row-wise quantization of activations and gradients with one E4M3 scale per 16 elements of a row.
// Moves 2 + 0.5 + 1/16 = 2.5625 B per element.
//
// With rounding to nearest and rows of whole blocks, the matrix, its codes and its scales are
// linear sequences of blocks of 16. A thread processes one block (32 contiguous bytes) at a time
// while the next ones are being loaded. For tiled scales the sequence follows the tiles of the
// scale layout. All other cases use strip_quantize.cuh.
#include <algorithm>

#include "kernels/nvfp4/device/strip_quantize.cuh"
#include "kernels/nvfp4/nvfp4.h"
#include "kernels/nvfp4/operation.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4 {
namespace {

using namespace device;

constexpr int kThreads = 128;
constexpr int kBlocksPerSm = 7;
constexpr int kAhead = 2;      // blocks of 16 that a thread has in flight
constexpr int kPerThread = 4;  // blocks of 16 per thread
constexpr int kPerGridBlock = kThreads * kPerThread;
static_assert(kPerGridBlock == 512);  // a tile of scales

struct Block {
  uint4 half[2];

  __device__ __forceinline__ void load(const Bf16* x, std::int64_t block) {
    const auto* const from = reinterpret_cast<const uint4*>(x) + 2 * block;
    half[0] = __ldcs(from);
    half[1] = __ldcs(from + 1);
  }
  __device__ __forceinline__ float largest() const {
    const std::uint32_t two = __vmaxu2(max_pairs(half[0]), max_pairs(half[1]));
    return low_bf16(max(two & 0xffffu, two >> 16));
  }
  __device__ __forceinline__ uint2 encode(const TwoScales& scale) const {
    const std::uint32_t words[2][4] = {{half[0].x, half[0].y, half[0].z, half[0].w},
                                       {half[1].x, half[1].y, half[1].z, half[1].w}};
    if (scale.clamps) {
      return {encode8_clamping(words[0], scale.encode[0]),
              encode8_clamping(words[1], scale.encode[0])};
    }
    return {encode8(words[0], scale.encode[0]), encode8(words[1], scale.encode[0])};
  }
};

__device__ __noinline__ void plain(const QuantizeArguments& a, std::int64_t block) {
  const std::int64_t blocks_of_row = a.shape.cols / 16;
  plain_block<false, Transform::none>(a, block / blocks_of_row, block % blocks_of_row * 16,
                                      tensor_encode_scale(*a.amax), kOwnScale);
}

// Index of the matrix block at position `place` of the sequence. Within a 128x4 tile of scales, 16
// consecutive positions are four rows, 32 apart, of four blocks each.
template <ScaleLayout kLayout>
__device__ __forceinline__ std::int64_t block_at(std::int64_t place, unsigned blocks_of_row) {
  if (kLayout == ScaleLayout::linear) return place;
  const unsigned tile = static_cast<unsigned>(place / kPerGridBlock);
  const unsigned in_tile = static_cast<unsigned>(place % kPerGridBlock);
  const unsigned row = in_tile / 4 % 4 * 32 + in_tile / 16;
  const unsigned tiles_across = blocks_of_row / 4;
  return std::int64_t{tile / tiles_across * 128 + row} * blocks_of_row + tile % tiles_across * 4 +
         in_tile % 4;
}

// Stores of single scales would cost 10 % of the time, so scales are stored together.
struct LineOfScales {
  alignas(16) std::uint8_t scale[kPerGridBlock];

  __device__ __forceinline__ void write(std::uint8_t* scales, std::int64_t first,
                                        std::int64_t blocks) const {
    const int i = static_cast<int>(threadIdx.x) * 16;
    if (i >= kPerGridBlock) return;
    if (first + i + 16 <= blocks) {
      __stcs(reinterpret_cast<uint4*>(scales + first + i),
             *reinterpret_cast<const uint4*>(scale + i));
    } else {
      for (int b = i; first + b < blocks; ++b) scales[first + b] = scale[b];
    }
  }
};

// Each thread block processes 512 consecutive blocks and exits; a persistent grid writes 5 %
// slower.
template <ScaleLayout kLayout>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    nvfp4_quantize_rows(const __grid_constant__ QuantizeArguments a, std::int64_t blocks) {
  const std::int64_t first = std::int64_t{blockIdx.x} * kPerGridBlock;
  const auto blocks_of_row = static_cast<unsigned>(a.shape.cols / 16);
  const auto place = [&](int i) { return first + i * kThreads + threadIdx.x; };
  const auto block = [&](int i) { return block_at<kLayout>(place(i), blocks_of_row); };
  if constexpr (kConvertsToE4m3) {
    Block ahead[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      if (place(i) < blocks) ahead[i].load(a.x, block(i));
    }
    __shared__ EncodeTable table;
    __shared__ LineOfScales scales;
    table.fill(*a.amax);
    __syncthreads();
    const float per_amax = table.per_amax;
    if (table.usable()) {
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
        const Block b = ahead[i % kAhead];
        if (i + kAhead < kPerThread && place(i + kAhead) < blocks) {
          ahead[i % kAhead].load(a.x, block(i + kAhead));
        }
        if (place(i) >= blocks) break;
        const TwoScales scale = fast_scales(table, per_amax, b.largest(), 0.0f);
        __stcs(reinterpret_cast<uint2*>(a.out.codes) + block(i), b.encode(scale));
        scales.scale[place(i) - first] = static_cast<std::uint8_t>(scale.stored);
      }
      __syncthreads();
      scales.write(a.out.scales, first, blocks);
      return;
    }
  }
  for (int i = 0; i < kPerThread; ++i) {
    if (place(i) < blocks) plain(a, block(i));
  }
}

// Whether the matrix is such a linear sequence of blocks.
bool is_line(Shape shape, ScaleLayout layout) {
  if (shape.elements() / 16 >= std::int64_t{1} << 32) return false;
  return layout == ScaleLayout::linear ? shape.cols % 16 == 0
                                       : shape.rows % 128 == 0 && shape.cols % 64 == 0;
}

void launch_line(const QuantizeArguments& a, cudaStream_t stream) {
  const std::int64_t blocks = a.shape.elements() / 16;
  const auto kernel = a.layout == ScaleLayout::linear ? nvfp4_quantize_rows<ScaleLayout::linear>
                                                      : nvfp4_quantize_rows<ScaleLayout::tiled>;
  kernel<<<static_cast<unsigned>((blocks + kPerGridBlock - 1) / kPerGridBlock), kThreads, 0,
           stream>>>(a, blocks);
  cuda_check(cudaGetLastError(), "quantize 1x16");
}

}  // namespace

void quantize_1x16(const Bf16* x, Shape shape, const float* amax, Matrix out,
                   const Options& options, cudaStream_t stream) {
  require_shape("quantize 1x16", shape);
  QuantizeArguments a;
  a.x = x;
  a.shape = shape;
  a.amax = amax;
  a.out = out;
  a.random = options.random;
  a.layout = options.layout;
  if (options.random == nullptr && is_line(shape, options.layout)) {
    launch_line(a, stream);
  } else {
    launch_strip_quantize<true, false, Transform::none, false>(a, "quantize 1x16", stream);
  }
}

}  // namespace mansard::kernels::nvfp4

namespace mansard::kernels {

void register_nvfp4_quantize_1x16(KernelRegistry& registry) {
  using namespace nvfp4;
  OperationDefinition nearest = {
      .name = "nvfp4_quantize_1x16",
      .summary = "BF16 to NVFP4, one scale per 1x16 block (2.5625 B/element)",
      .traffic_bytes = traffic::quantize,
      .output_bytes = matrix_output_bytes,
      .launch =
          [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
            quantize_1x16(in.x, shape, in.amax, as_matrix(out), {}, stream);
          },
      .reference =
          [](const Inputs& in, const Outputs& out, Shape shape) {
            reference::quantize_1x16(in.x, shape, *in.amax, as_matrix(out));
          }};
  add_operation(registry, nearest);

  OperationDefinition stochastic = nearest;
  stochastic.name = "nvfp4_quantize_1x16_stochastic";
  stochastic.summary =
      "BF16 to NVFP4, one scale per 1x16 block, stochastic rounding (2.5625 B/element)";
  stochastic.launch = [](const Inputs& in, const Outputs& out, Shape shape, cudaStream_t stream) {
    quantize_1x16(in.x, shape, in.amax, as_matrix(out), {.random = in.random}, stream);
  };
  stochastic.reference = [](const Inputs& in, const Outputs& out, Shape shape) {
    reference::quantize_1x16(in.x, shape, *in.amax, as_matrix(out), {.random = in.random});
  };
  add_operation(registry, stochastic);
}

}  // namespace mansard::kernels
