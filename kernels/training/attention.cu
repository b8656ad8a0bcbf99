// SPDX-License-Identifier: Apache-2.0
// Causal attention that never writes the matrix of scores to memory (FlashAttention-2, arXiv
// 2307.08691).
//
// The kernels have the same structure. A thread block keeps a tile of rows of a head in shared
// memory, queries or keys, and loops over tiles of the other kind in two buffers: it copies the
// next tile while it uses the current one. Each warp has 32 of the resident rows and computes
//
//   s = rows * tile^T     from shared memory to registers
//   sums += f(s) * tile   f(s) from registers; the sums stay in registers until the end
//
// The registers of s are laid out like those of the left operand of the second product. Blocks skip
// tiles in which all keys are after all queries; only tiles on the diagonal evaluate the mask.
//
// The backward pass has a kernel whose rows are keys, for dK and dV, and a kernel whose rows are
// queries, for dQ, which computes the scores again. Thus a single warp adds up each gradient, in a
// fixed order, and the result is deterministic.
#include "kernels/training/attention.h"

#include <cmath>
#include <stdexcept>

#include "kernels/device/cuda_check.h"
#include "kernels/training/attention_tiles.cuh"
#include "kernels/training/bf16_vector.cuh"

namespace mansard::kernels {
namespace attention {
namespace {

// Rows of the tiles that a kernel loops over, as many as its registers allow.
template <int kHeadSize>
constexpr int kStreamedRows = 4096 / kHeadSize;

extern __shared__ __align__(1024) unsigned char shared[];

// ---- Kernels whose rows are queries ----

// The queries of a head that a block has, and the keys that it loops over.
template <int kHeadSize>
struct QueryBlock {
  using T = Tile<kHeadSize>;
  static constexpr int kQueries = kWarps * kWarpRows;
  static constexpr int kKeys = kStreamedRows<kHeadSize>;
  static constexpr int kQueryBytes = T::bytes(kQueries);
  static constexpr int kKeyBytes = T::bytes(kKeys);
  static constexpr int kStageBytes = 2 * kKeyBytes;  // keys and values

  int first_query, warp_row, warp_query, tiles;
  std::int64_t queries, keys, out;  // offsets of first elements in matrices like qkv and out

  __device__ __forceinline__ explicit QueryBlock(const Sizes& size) {
    const int head = static_cast<int>(blockIdx.x) % size.heads;
    const std::int64_t first_token = std::int64_t{blockIdx.x / size.heads} * size.sequence;
    // The last queries have the most keys. Their blocks start first, so that no SM ends late.
    first_query = static_cast<int>(gridDim.y - 1 - blockIdx.y) * kQueries;
    warp_row = static_cast<int>(threadIdx.x) / 32 * kWarpRows;
    warp_query = first_query + warp_row;
    tiles = (min(first_query + kQueries, size.sequence) - 1) / kKeys + 1;
    queries = (first_token + first_query) * size.qkv_stride + head * kHeadSize;
    keys = first_token * size.qkv_stride + (size.heads + head / size.group) * kHeadSize;
    out = (first_token + first_query) * size.out_stride + head * kHeadSize;
  }

  __device__ __forceinline__ void load_keys(unsigned char* stage, const Bf16* qkv,
                                            const Sizes& size, int tile) const {
    const Bf16* source = qkv + keys + std::int64_t{tile * kKeys} * size.qkv_stride;
    const int valid = size.sequence - tile * kKeys;
    T::template load<kKeys>(stage, source, size.qkv_stride, valid);
    T::template load<kKeys>(stage + kKeyBytes, source + size.kv_heads * kHeadSize, size.qkv_stride,
                            valid);
  }
};

template <int kHeadSize>
constexpr int kForwardBytes =
    QueryBlock<kHeadSize>::kQueryBytes + 2 * QueryBlock<kHeadSize>::kStageBytes;

// Several blocks per SM, here two: one multiplies while another waits or computes exponentials.
template <int kHeadSize>
__global__ void __launch_bounds__(kThreads, 2) forward_kernel(AttentionForward o, Sizes size) {
  using T = Tile<kHeadSize>;
  using B = QueryBlock<kHeadSize>;
  const B block(size);
  unsigned char* warp_queries = shared + T::bytes(block.warp_row);
  unsigned char* stages = shared + B::kQueryBytes;

  T::template load<B::kQueries>(shared, o.qkv + block.queries, size.qkv_stride,
                                size.sequence - block.first_query);
  block.load_keys(stages, o.qkv, size, 0);

  typename T::Sums sums = {};
  float reference[kLaneRows] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};  // exp(s - reference)
  float total[kLaneRows] = {};  // this lane's part of the sum of exponentials

  for (int tile = 0; tile < block.tiles; ++tile) {
    const unsigned char* key_tile = stages + tile % 2 * B::kStageBytes;
    wait_for_copies();
    if (tile + 1 < block.tiles) {
      block.load_keys(stages + (tile + 1) % 2 * B::kStageBytes, o.qkv, size, tile + 1);
    }
    const int first_key = tile * B::kKeys;
    if (first_key >= block.warp_query + kWarpRows) continue;

    Product<B::kKeys> s = {};
    T::multiply(s, warp_queries, key_tile);
    if (first_key + B::kKeys > block.warp_query + 1) {
      apply_mask<false>(s, block.warp_query, first_key);
    }

    // Any reference near the maximum prevents overflow. It changes only if an exponential would
    // exceed 2^kSlack, so that the sums are rarely scaled.
    constexpr float kSlack = 8;
    float top[kLaneRows];
    bool exceeded = false;
#pragma unroll
    for (int r = 0; r < kLaneRows; ++r) {
      top[r] = element(s, r, 0, 0);
#pragma unroll
      for (int n = 0; n < B::kKeys / 8; ++n) {
        top[r] = fmaxf(top[r], fmaxf(element(s, r, n, 0), element(s, r, n, 1)));
      }
      top[r] = row_max(top[r]);
      exceeded |= (top[r] - reference[r]) * size.scale_log2 > kSlack;
    }
    if (__any_sync(~0u, exceeded)) {
#pragma unroll
      for (int r = 0; r < kLaneRows; ++r) {
        const float changed = fmaxf(reference[r], top[r]);
        const float factor = fast_exp2((reference[r] - changed) * size.scale_log2);
        reference[r] = changed;
        total[r] *= factor;
#pragma unroll
        for (int n = 0; n < kHeadSize / 8; ++n) {
          element(sums, r, n, 0) *= factor;
          element(sums, r, n, 1) *= factor;
        }
      }
    }

#pragma unroll
    for (int k = 0; k < B::kKeys / 16; ++k) {
#pragma unroll
      for (int r = 0; r < kLaneRows; ++r) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          float& x = element(s, r, 2 * k + i / 2, i % 2);
          x = fast_exp2(x * size.scale_log2 - reference[r] * size.scale_log2);
          total[r] += x;
        }
      }
      LeftOperand p;
      to_left_operand(p, s, k);
      T::accumulate(sums, p, key_tile + B::kKeyBytes, k);
    }
  }

  float factor[kLaneRows];
#pragma unroll
  for (int r = 0; r < kLaneRows; ++r) {
    const float sum = row_sum(total[r]);
    factor[r] = 1 / sum;
    const int query = block.warp_query + 8 * r + threadIdx.x % 32 / 4;
    if (threadIdx.x % 4 == 0 && query < size.sequence) {
      o.stats[std::int64_t{blockIdx.x} * size.sequence + query] =
          reference[r] * size.scale + logf(sum);
    }
  }
  raise_amax(o.amax, T::store(sums, factor, warp_queries,
                              o.out + block.out + block.warp_row * size.out_stride, size.out_stride,
                              size.sequence - block.warp_query));
}

// The backward pass, with P = exp(scale Q K^T - stats) and D = rowsum(dO * O):
//   dV = P^T dO,  dS = P * (dO V^T - D),  dQ = scale dS K,  dK = scale dS^T Q

// Terms of a query that do not depend on the key, in scratch memory: [batch x heads x sequence].
struct alignas(8) QueryTerms {
  float log2_sum;  // stats / log(2)
  float d;
};

template <int kHeadSize>
__global__ void __launch_bounds__(kThreads) query_terms_kernel(AttentionBackward o, Sizes size) {
  constexpr int kLanes = kHeadSize / 8;  // lanes of a row of a head, 16 bytes each
  const std::int64_t count = o.shape.batch * size.sequence * size.heads;
  const std::int64_t thread = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::int64_t item = min(thread / kLanes, count - 1);  // the shuffles need all lanes
  const std::int64_t first = item * kHeadSize + thread % kLanes * 8;
  const uint4 out = *reinterpret_cast<const uint4*>(o.out + first);
  const uint4 d_out = *reinterpret_cast<const uint4*>(o.d_out + first);
  const auto product = [](std::uint32_t a, std::uint32_t b) {
    return low_bf16(a) * low_bf16(b) + high_bf16(a) * high_bf16(b);
  };
  float d = product(out.x, d_out.x) + product(out.y, d_out.y) + product(out.z, d_out.z) +
            product(out.w, d_out.w);
#pragma unroll
  for (int distance = 1; distance < kLanes; distance *= 2) {
    d += __shfl_xor_sync(~0u, d, distance);
  }
  if (thread % kLanes != 0 || thread / kLanes >= count) return;
  const std::int64_t token = item / size.heads;
  const std::int64_t query =
      (token / size.sequence * size.heads + item % size.heads) * size.sequence +
      token % size.sequence;
  static_cast<QueryTerms*>(o.scratch)[query] = {o.stats[query] * kLog2E, d};
}

template <int kHeadSize>
constexpr int kQueryGradientBytes =
    2 * QueryBlock<kHeadSize>::kQueryBytes + 2 * QueryBlock<kHeadSize>::kStageBytes;

template <int kHeadSize>
__global__ void __launch_bounds__(kThreads, 2)
    query_gradient_kernel(AttentionBackward o, Sizes size) {
  using T = Tile<kHeadSize>;
  using B = QueryBlock<kHeadSize>;
  const B block(size);
  unsigned char* warp_queries = shared + T::bytes(block.warp_row);
  unsigned char* stages = shared + 2 * B::kQueryBytes;

  const int valid = size.sequence - block.first_query;
  T::template load<B::kQueries>(shared, o.qkv + block.queries, size.qkv_stride, valid);
  T::template load<B::kQueries>(shared + B::kQueryBytes, o.d_out + block.out, size.out_stride,
                                valid);
  block.load_keys(stages, o.qkv, size, 0);

  QueryTerms terms[kLaneRows];
#pragma unroll
  for (int r = 0; r < kLaneRows; ++r) {
    const int query = block.warp_query + 8 * r + threadIdx.x % 32 / 4;
    // Rows after the end are not written; any terms will do.
    terms[r] = static_cast<const QueryTerms*>(
        o.scratch)[std::int64_t{blockIdx.x} * size.sequence + min(query, size.sequence - 1)];
  }

  typename T::Sums sums = {};
  for (int tile = 0; tile < block.tiles; ++tile) {
    const unsigned char* key_tile = stages + tile % 2 * B::kStageBytes;
    wait_for_copies();
    if (tile + 1 < block.tiles) {
      block.load_keys(stages + (tile + 1) % 2 * B::kStageBytes, o.qkv, size, tile + 1);
    }
    const int first_key = tile * B::kKeys;
    if (first_key >= block.warp_query + kWarpRows) continue;

    Product<B::kKeys> s = {};
    Product<B::kKeys> d_p = {};
    T::multiply(s, warp_queries, key_tile);
    T::multiply(d_p, warp_queries + B::kQueryBytes, key_tile + B::kKeyBytes);
    if (first_key + B::kKeys > block.warp_query + 1) {
      apply_mask<false>(s, block.warp_query, first_key);
    }
#pragma unroll
    for (int k = 0; k < B::kKeys / 16; ++k) {
#pragma unroll
      for (int r = 0; r < kLaneRows; ++r) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          float& x = element(s, r, 2 * k + i / 2, i % 2);
          x = fast_exp2(x * size.scale_log2 - terms[r].log2_sum) *
              (element(d_p, r, 2 * k + i / 2, i % 2) - terms[r].d);
        }
      }
      LeftOperand d_s;
      to_left_operand(d_s, s, k);
      T::accumulate(sums, d_s, key_tile, k);
    }
  }

  const float factor[kLaneRows] = {size.scale, size.scale, size.scale, size.scale};
  T::store(sums, factor, warp_queries, o.d_qkv + block.queries + block.warp_row * size.qkv_stride,
           size.qkv_stride, size.sequence - block.warp_query);
}

// ---- Kernel whose rows are keys ----

// Two warps share 32 keys, because the sums of both gradients do not fit in the registers of one.
// The first warp computes P^T and dV. The second one gets P^T, in BF16, through shared memory and
// computes dS^T and dK.
template <int kHeadSize>
struct KeyBlock {
  static constexpr int kPairs = kWarps / 2;
  static constexpr int kKeys = kPairs * kWarpRows;
  static constexpr int kQueries = kStreamedRows<kHeadSize>;
  static constexpr int kKeyBytes = Tile<kHeadSize>::bytes(kKeys);
  static constexpr int kQueryBytes = Tile<kHeadSize>::bytes(kQueries);
  // Queries, gradients of their outputs, and their terms.
  static constexpr int kStageBytes = 2 * kQueryBytes + kQueries * int{sizeof(QueryTerms)};
  static constexpr int kProbabilityBytes = 2 * kWarpRows * kQueries;  // of a pair
  static constexpr int kSharedBytes = 2 * kKeyBytes + 2 * kStageBytes + kPairs * kProbabilityBytes;
  static_assert(kStageBytes % kTileAlignment == 0);
  static_assert(kKeys % kQueries == 0, "the first queries of a block are those of its keys");
};

// Barrier of a pair; barrier 0 is that of __syncthreads().
__device__ __forceinline__ void synchronize_pair(int pair) {
  asm volatile("bar.sync %0, 64;" ::"r"(1 + pair) : "memory");
}

// The registers suffice for three blocks per SM with a head size of 64.
template <int kHeadSize>
__global__ void __launch_bounds__(kThreads, kHeadSize == 64 ? 3 : 2)
    key_gradient_kernel(AttentionBackward o, Sizes size) {
  using T = Tile<kHeadSize>;
  using B = KeyBlock<kHeadSize>;
  const int lane = threadIdx.x % 32;
  const int pair = threadIdx.x / 32 % B::kPairs;
  const bool computes_dv = threadIdx.x / 32 < B::kPairs;  // otherwise dK
  const int kv_head = static_cast<int>(blockIdx.x) % size.kv_heads;
  const int batch = static_cast<int>(blockIdx.x) / size.kv_heads;
  const int first_token = batch * size.sequence;
  // The first keys have the most queries, and their blocks start first.
  const int first_key = static_cast<int>(blockIdx.y) * B::kKeys;
  const int warp_key = first_key + pair * kWarpRows;
  const std::int64_t keys =
      std::int64_t{first_token + first_key} * size.qkv_stride + (size.heads + kv_head) * kHeadSize;
  const std::int64_t values = keys + size.kv_heads * kHeadSize;

  unsigned char* stages = shared + 2 * B::kKeyBytes;
  unsigned char* warp_rows = shared + (computes_dv ? 0 : B::kKeyBytes) + T::bytes(pair * kWarpRows);
  auto* probabilities =
      reinterpret_cast<uint4*>(stages + 2 * B::kStageBytes + pair * B::kProbabilityBytes) + lane;

  const auto load_queries = [&](int stage, int head, int first_query) {
    const int valid = size.sequence - first_query;
    const std::int64_t row{first_token + first_query};
    unsigned char* to = stages + stage * B::kStageBytes;
    T::template load<B::kQueries>(to, o.qkv + row * size.qkv_stride + head * kHeadSize,
                                  size.qkv_stride, valid);
    T::template load<B::kQueries>(to + B::kQueryBytes,
                                  o.d_out + row * size.out_stride + head * kHeadSize,
                                  size.out_stride, valid);
    if (const int i = threadIdx.x; i < B::kQueries) {
      const auto* terms = static_cast<const QueryTerms*>(o.scratch) +
                          std::int64_t{batch * size.heads + head} * size.sequence + first_query;
      copy_async<8>(to + 2 * B::kQueryBytes + i * sizeof(QueryTerms), terms + i, i < valid);
    }
  };

  const int end_head = (kv_head + 1) * size.group;
  T::template load<B::kKeys>(shared, o.qkv + keys, size.qkv_stride, size.sequence - first_key);
  T::template load<B::kKeys>(shared + B::kKeyBytes, o.qkv + values, size.qkv_stride,
                             size.sequence - first_key);
  load_queries(0, end_head - size.group, first_key);

  typename T::Sums sums = {};
  int stage = 0;
  for (int head = end_head - size.group; head < end_head; ++head) {
    for (int first_query = first_key; first_query < size.sequence; first_query += B::kQueries) {
      const unsigned char* query_tile = stages + stage * B::kStageBytes;
      const unsigned char* d_out_tile = query_tile + B::kQueryBytes;
      stage ^= 1;
      wait_for_copies();
      const bool last = first_query + B::kQueries >= size.sequence;
      if (!last || head + 1 < end_head) {
        load_queries(stage, last ? head + 1 : head, last ? first_key : first_query + B::kQueries);
      }

      Product<B::kQueries> s = {};
      T::multiply(s, warp_rows, computes_dv ? query_tile : d_out_tile);
      // Element 4 n: the terms of the two queries of the lane's columns 8 n + 2 (lane % 4) + i.
      const auto* terms = reinterpret_cast<const float4*>(d_out_tile + B::kQueryBytes) + lane % 4;
      LeftOperand a[B::kQueries / 16];  // P^T or dS^T
      if (computes_dv) {
        if (first_query < warp_key + kWarpRows - 1) apply_mask<true>(s, warp_key, first_query);
#pragma unroll
        for (int k = 0; k < B::kQueries / 16; ++k) {
#pragma unroll
          for (int n = 2 * k; n < 2 * k + 2; ++n) {
            const float4 t = terms[4 * n];
#pragma unroll
            for (int r = 0; r < kLaneRows; ++r) {
              float& x = element(s, r, n, 0);
              float& y = element(s, r, n, 1);
              x = fast_exp2(x * size.scale_log2 - t.x);
              y = fast_exp2(y * size.scale_log2 - t.z);
            }
          }
          to_left_operand(a[k], s, k);
#pragma unroll
          for (int m = 0; m < 2; ++m) {
            const std::uint32_t(&p)[4] = a[k][m];
            probabilities[32 * (2 * k + m)] = make_uint4(p[0], p[1], p[2], p[3]);
          }
        }
        synchronize_pair(pair);
      } else {
        synchronize_pair(pair);
#pragma unroll
        for (int k = 0; k < B::kQueries / 16; ++k) {
#pragma unroll
          for (int m = 0; m < 2; ++m) {
            const uint4 packed = probabilities[32 * (2 * k + m)];
            const std::uint32_t p[4] = {packed.x, packed.y, packed.z, packed.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
              const float4 t = terms[4 * (2 * k + i / 2)];
              const float* d_p = &s[m][2 * k + i / 2][i % 2 * 2];
              a[k][m][i] =
                  pack_bf16(low_bf16(p[i]) * (d_p[0] - t.y), high_bf16(p[i]) * (d_p[1] - t.w));
            }
          }
        }
      }
#pragma unroll
      for (int k = 0; k < B::kQueries / 16; ++k) {
        T::accumulate(sums, a[k], computes_dv ? d_out_tile : query_tile, k);
      }
    }
  }

  const float f = computes_dv ? 1 : size.scale;
  const float factor[kLaneRows] = {f, f, f, f};
  T::store(sums, factor, warp_rows,
           o.d_qkv + (computes_dv ? values : keys) + pair * kWarpRows * size.qkv_stride,
           size.qkv_stride, size.sequence - warp_key);
}

// ---- Launches ----

// Starts a block for each of `heads` heads per sequence and each tile of `tile_rows` positions.
template <typename Operation>
void launch(void (*kernel)(Operation, Sizes), const Operation& o, std::int64_t heads, int tile_rows,
            int shared_bytes, cudaStream_t stream, const char* attempted) {
  cuda_check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
      attempted);
  const dim3 grid(static_cast<unsigned>(o.shape.batch * heads),
                  static_cast<unsigned>(ceil_div(o.shape.sequence, tile_rows)));
  kernel<<<grid, kThreads, static_cast<std::size_t>(shared_bytes), stream>>>(o, Sizes(o.shape));
  cuda_check(cudaGetLastError(), attempted);
}

template <int kHeadSize>
void forward(const AttentionForward& o, cudaStream_t stream) {
  launch(forward_kernel<kHeadSize>, o, o.shape.heads, QueryBlock<kHeadSize>::kQueries,
         kForwardBytes<kHeadSize>, stream, "launch attention");
}

template <int kHeadSize>
void backward(const AttentionBackward& o, cudaStream_t stream) {
  const std::int64_t threads = o.shape.rows() * o.shape.heads * (kHeadSize / 8);
  query_terms_kernel<kHeadSize>
      <<<static_cast<unsigned>(ceil_div(threads, kThreads)), kThreads, 0, stream>>>(o,
                                                                                    Sizes(o.shape));
  cuda_check(cudaGetLastError(), "launch the row sums of attention's backward pass");
  launch(key_gradient_kernel<kHeadSize>, o, o.shape.kv_heads, KeyBlock<kHeadSize>::kKeys,
         KeyBlock<kHeadSize>::kSharedBytes, stream,
         "launch attention's gradients of keys and values");
  launch(query_gradient_kernel<kHeadSize>, o, o.shape.heads, QueryBlock<kHeadSize>::kQueries,
         kQueryGradientBytes<kHeadSize>, stream, "launch attention's gradients of queries");
}

void check_supported(const AttentionShape& shape) {
  const std::string reason = attention_unsupported(shape);
  if (!reason.empty()) throw std::invalid_argument("cannot launch attention: " + reason);
}

}  // namespace
}  // namespace attention

std::string attention_unsupported(const AttentionShape& shape) {
  if (shape.head_size != 64 && shape.head_size != 128) {
    return "the attention kernels need a head size of 64 or 128, not " +
           std::to_string(shape.head_size);
  }
  if (shape.kv_heads <= 0 || shape.heads % shape.kv_heads != 0) {
    return "the attention kernels need a number of heads that is a multiple of kv_heads, not " +
           std::to_string(shape.heads) + " with " + std::to_string(shape.kv_heads) + " kv_heads";
  }
  return "";
}

std::int64_t attention_scratch_bytes(const AttentionShape& shape) {
  return shape.rows() * shape.heads * static_cast<std::int64_t>(sizeof(attention::QueryTerms));
}

void attention_forward(const AttentionForward& o, cudaStream_t stream) {
  attention::check_supported(o.shape);
  o.shape.head_size == 64 ? attention::forward<64>(o, stream) : attention::forward<128>(o, stream);
}

void attention_backward(const AttentionBackward& o, cudaStream_t stream) {
  attention::check_supported(o.shape);
  o.shape.head_size == 64 ? attention::backward<64>(o, stream)
                          : attention::backward<128>(o, stream);
}

}  // namespace mansard::kernels
