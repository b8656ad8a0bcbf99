// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/copy_engine_exchange.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <cuda.h>

#include "kernels/device/cuda_check.h"
#include "kernels/device/driver_function.h"

namespace mansard::kernels {
namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 1024;
constexpr std::int64_t kFlagWords = 16;  // a flag has a cache line of its own

struct Sources {
  const float* of_rank[CopyEngineExchange::kMostRanks];
};

template <class Vector>
__device__ Vector sum(const Sources& sources, int ranks, std::int64_t i);

template <>
__device__ float sum(const Sources& sources, int ranks, std::int64_t i) {
  float total = sources.of_rank[0][i];
  for (int r = 1; r < ranks; ++r) total += sources.of_rank[r][i];
  return total;
}

template <>
__device__ float4 sum(const Sources& sources, int ranks, std::int64_t i) {
  float4 total = reinterpret_cast<const float4*>(sources.of_rank[0])[i];
  for (int r = 1; r < ranks; ++r) {
    const float4 x = reinterpret_cast<const float4*>(sources.of_rank[r])[i];
    total = {total.x + x.x, total.y + x.y, total.z + x.z, total.w + x.w};
  }
  return total;
}

// In the order of ranks.
template <class Vector>
__global__ void __launch_bounds__(kThreads)
    add_exchanged_pieces_kernel(Vector* out, Sources sources, int ranks, std::int64_t count) {
  const std::int64_t step = std::int64_t{blockDim.x} * gridDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    out[i] = sum<Vector>(sources, ranks, i);
  }
}

template <class Vector>
void launch_add(float* out, const Sources& sources, int ranks, std::int64_t bytes,
                cudaStream_t stream) {
  const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(Vector));
  const auto blocks =
      static_cast<unsigned>(std::min<std::int64_t>((count + kThreads - 1) / kThreads, kMostBlocks));
  add_exchanged_pieces_kernel<<<blocks, kThreads, 0, stream>>>(reinterpret_cast<Vector*>(out),
                                                               sources, ranks, count);
  cuda_check(cudaGetLastError(), "add the pieces of other ranks");
}

decltype(&cuStreamBatchMemOp) stream_memory_operations() {
  static const auto function = driver_function<decltype(&cuStreamBatchMemOp)>("cuStreamBatchMemOp");
  return function;
}

CUstreamBatchMemOpParams memory_operation(CUstreamBatchMemOpType type, std::uint32_t* flag,
                                          std::uint32_t value) {
  CUstreamBatchMemOpParams p{};
  p.operation = type;
  if (type == CU_STREAM_MEM_OP_WAIT_VALUE_32) {
    p.waitValue.address = reinterpret_cast<CUdeviceptr>(flag);
    p.waitValue.value = value;
    p.waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  } else {
    p.writeValue.address = reinterpret_cast<CUdeviceptr>(flag);
    p.writeValue.value = value;
  }
  return p;
}

}  // namespace

std::int64_t CopyEngineExchange::flags_bytes(int ranks) {
  return std::int64_t{ranks} * kLanes * 2 * ranks * kFlagWords *
         static_cast<std::int64_t>(sizeof(std::uint32_t));
}

CopyEngineExchange::CopyEngineExchange(int rank, std::vector<std::byte*> staging,
                                       std::uint32_t* flags)
    : rank_(rank), staging_(std::move(staging)), flags_(flags) {
  if (ranks() > kMostRanks) {
    throw std::runtime_error("copy engines exchange between up to " + std::to_string(kMostRanks) +
                             " ranks");
  }
  if (stream_memory_operations() == nullptr) {
    throw std::runtime_error("the driver has no memory operations for streams");
  }
  // To load a kernel, CUDA may wait for streams that wait for other ranks.
  cudaFuncAttributes loaded{};
  cuda_check(cudaFuncGetAttributes(&loaded, add_exchanged_pieces_kernel<float>), "load a kernel");
  cuda_check(cudaFuncGetAttributes(&loaded, add_exchanged_pieces_kernel<float4>), "load a kernel");
}

CopyEngineExchange::~CopyEngineExchange() {
  for (const Lane& lane : lanes_) {
    while (cudaStreamQuery(lane.stream.get()) == cudaErrorNotReady) {
      release();
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
}

void CopyEngineExchange::start_after(cudaStream_t stream) {
  cuda_check(cudaEventRecord(ready_.get(), stream), "record an event");
  for (const Lane& lane : lanes_) {
    cuda_check(cudaStreamWaitEvent(lane.stream.get(), ready_.get(), 0), "wait for a stream");
  }
}

void CopyEngineExchange::join(cudaStream_t stream) {
  for (const Lane& lane : lanes_) {
    cuda_check(cudaEventRecord(lane.done.get(), lane.stream.get()), "record an event");
    cuda_check(cudaStreamWaitEvent(stream, lane.done.get(), 0), "wait for a collective");
  }
}

void CopyEngineExchange::all_reduce(const float* in, const ExchangedArray& out) {
  exchange(reinterpret_cast<const std::byte*>(in), true, out, true, true);
}
void CopyEngineExchange::reduce_scatter(const float* in, const ExchangedArray& out) {
  exchange(reinterpret_cast<const std::byte*>(in), true, out, true, false);
}
void CopyEngineExchange::all_gather(const void* piece, const ExchangedArray& out) {
  exchange(static_cast<const std::byte*>(piece), false, out, false, true);
}

// No rank overwrites what another one still needs. A slot: its rank has added the content before it
// ends the second phase, which the others wait for before they use the lane again. An array that
// gets sums or pieces: its rank has copied or does not need the old content when it ends the first
// phase. A flag: its rank resets it within a phase that the others wait for before they set it
// again.
void CopyEngineExchange::exchange(const std::byte* in, bool in_has_all, const ExchangedArray& out,
                                  bool reduces, bool gathers) {
  const std::int64_t longest = kPartBytes / ranks() / 256 * 256;
  for (std::int64_t at = 0; at < out.piece_bytes; at += longest) {
    const int lane = std::exchange(next_lane_, (next_lane_ + 1) % kLanes);
    const auto offset_of = [&](int piece) { return piece * out.piece_bytes + at; };
    const auto bytes_of = [&](int piece) {
      return std::clamp<std::int64_t>(out.bytes - offset_of(piece), 0,
                                      std::min(longest, out.piece_bytes - at));
    };
    for (int i = 1; reduces && i < ranks(); ++i) {
      const int to = (rank_ + i) % ranks();
      copy(lane, slot(to, lane, rank_), in + offset_of(to), bytes_of(to));
    }
    meet(lane, arrived);
    std::byte* const result = out.of_rank[static_cast<std::size_t>(rank_)] + offset_of(rank_);
    const std::byte* const own = in + (in_has_all ? offset_of(rank_) : at);
    if (reduces) {
      add(lane, own, result, bytes_of(rank_));
    } else if (own != result) {
      copy(lane, result, own, bytes_of(rank_));
    }
    for (int i = 1; gathers && i < ranks(); ++i) {
      const auto to = static_cast<std::size_t>((rank_ + i) % ranks());
      copy(lane, out.of_rank[to] + offset_of(rank_), result, bytes_of(rank_));
    }
    meet(lane, gathered);
  }
}

std::byte* CopyEngineExchange::slot(int of_rank, int lane, int from_rank) const {
  return staging_[static_cast<std::size_t>(of_rank)] + lane * kPartBytes +
         from_rank * (kPartBytes / ranks() / 256 * 256);
}

std::uint32_t* CopyEngineExchange::flag(int of_rank, int lane, Phase phase, int from_rank) const {
  return flags_ +
         kFlagWords *
             (((of_rank * kLanes + lane) * 2 + (phase == arrived ? 0 : 1)) * ranks() + from_rank);
}

void CopyEngineExchange::add(int lane, const std::byte* own, std::byte* out, std::int64_t bytes) {
  if (bytes == 0) return;
  Sources sources{};
  bool is_aligned = bytes % 16 == 0 && reinterpret_cast<std::uintptr_t>(out) % 16 == 0;
  for (int r = 0; r < ranks(); ++r) {
    const std::byte* const source = r == rank_ ? own : slot(rank_, lane, r);
    is_aligned = is_aligned && reinterpret_cast<std::uintptr_t>(source) % 16 == 0;
    sources.of_rank[r] = reinterpret_cast<const float*>(source);
  }
  const cudaStream_t stream = lanes_[static_cast<std::size_t>(lane)].stream.get();
  const auto launch = is_aligned ? launch_add<float4> : launch_add<float>;
  launch(reinterpret_cast<float*>(out), sources, ranks(), bytes, stream);
}

void CopyEngineExchange::copy(int lane, std::byte* to, const std::byte* from, std::int64_t bytes) {
  if (bytes == 0) return;
  cuda_check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice,
                             lanes_[static_cast<std::size_t>(lane)].stream.get()),
             "copy to another rank");
}

void CopyEngineExchange::meet(int lane, Phase phase) {
  std::array<CUstreamBatchMemOpParams, 3 * kMostRanks> operations{};
  unsigned count = 0;
  const auto each_other = [&](const auto& operation) {
    for (int r = 0; r < ranks(); ++r) {
      if (r != rank_) operations[count++] = operation(r);
    }
  };
  each_other([&](int r) {
    return memory_operation(CU_STREAM_MEM_OP_WRITE_VALUE_32, flag(r, lane, phase, rank_), 1);
  });
  each_other([&](int r) {
    return memory_operation(CU_STREAM_MEM_OP_WAIT_VALUE_32, flag(rank_, lane, phase, r), 1);
  });
  each_other([&](int r) {
    return memory_operation(CU_STREAM_MEM_OP_WRITE_VALUE_32, flag(rank_, lane, phase, r), 0);
  });
  if (count == 0) return;
  const CUresult result = stream_memory_operations()(
      lanes_[static_cast<std::size_t>(lane)].stream.get(), count, operations.data(), 0);
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error("cannot wait for other ranks in a stream: CUDA error " +
                             std::to_string(static_cast<int>(result)));
  }
}

void CopyEngineExchange::release() const {
  for (int lane = 0; lane < kLanes; ++lane) {
    for (const Phase phase : {arrived, gathered}) {
      for (int r = 0; r < ranks(); ++r) {
        std::atomic_ref(*flag(rank_, lane, phase, r)).store(1, std::memory_order_relaxed);
      }
    }
  }
}

}  // namespace mansard::kernels
