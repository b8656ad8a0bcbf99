// SPDX-License-Identifier: Apache-2.0
// Collectives between GPUs of one host that copy engines execute, so that GEMMs keep their SMs:
// only additions are kernels.
//
// An array has one piece per rank. Each rank copies piece p to rank p, which adds what it gets
// (reduce-scatter), and copies the sum to all others (all-gather). Pieces travel in parts, several
// at a time on streams of their own ("lanes"). A stream waits for the other ranks by flags in host
// memory (cuStreamBatchMemOp), which it resets, so that a recorded graph can run again and again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <cuda_runtime_api.h>

#include "kernels/device/cuda_objects.h"

namespace mansard::kernels {

// An array that all ranks have.
struct ExchangedArray {
  std::vector<std::byte*> of_rank;  // addresses on the device of the rank that uses them
  std::int64_t bytes = 0;
  // Piece r starts at r * piece_bytes; the last ones may be shorter than others, or empty.
  std::int64_t piece_bytes = 0;
};

// The part of one rank, whose device is current during all calls.
class CopyEngineExchange {
 public:
  static constexpr int kMostRanks = 8;
  static constexpr int kLanes = 3;
  // Part of an array that a lane exchanges at once. The copy engine pauses for some microseconds
  // between copies: on two H200s, an all-reduce of 1 GiB has a bus bandwidth of 280 GB/s with parts
  // of 32 MiB, and of 333 GB/s with 128 MiB.
  static constexpr std::int64_t kPartBytes = std::int64_t{128} << 20;
  // Memory of each rank in which it gets pieces from the others.
  static constexpr std::int64_t kStagingBytes = kLanes * kPartBytes;
  // Flags of all ranks.
  static std::int64_t flags_bytes(int ranks);

  // `staging`: of each rank. `flags`: host memory that the devices of all ranks can access, zeros
  // at first. Throws std::runtime_error if there are too many ranks, or if the driver has no memory
  // operations for streams.
  CopyEngineExchange(int rank, std::vector<std::byte*> staging, std::uint32_t* flags);
  // Waits until nothing is enqueued, and does not wait for other ranks any more.
  ~CopyEngineExchange();
  CopyEngineExchange(const CopyEngineExchange&) = delete;
  CopyEngineExchange& operator=(const CopyEngineExchange&) = delete;

  // Operations that are enqueued from now on start when those of `stream` are done.
  void start_after(cudaStream_t stream);
  // All ranks call these in the same order. They are enqueued; join() tells when they are done.
  // `in` has the pieces of this rank, `out` gets the result; both may be the same array.
  void all_reduce(const float* in, const ExchangedArray& out);
  void reduce_scatter(const float* in, const ExchangedArray& out);
  void all_gather(const void* piece, const ExchangedArray& out);
  // Operations that are enqueued on `stream` from now on start when those of the lanes are done.
  void join(cudaStream_t stream);

  // Lets this rank's streams pass the flags that they wait for now; their results are undefined.
  // For any thread.
  void release() const;

 private:
  struct Lane {
    CudaStream stream{CudaStream::Priority::highest};
    CudaEvent done{cudaEventDisableTiming};
  };
  enum Phase { arrived, gathered };

  int ranks() const { return static_cast<int>(staging_.size()); }
  std::byte* slot(int of_rank, int lane, int from_rank) const;
  std::uint32_t* flag(int of_rank, int lane, Phase phase, int from_rank) const;
  void exchange(const std::byte* in, bool in_has_all, const ExchangedArray& out, bool reduces,
                bool gathers);
  void add(int lane, const std::byte* own, std::byte* out, std::int64_t bytes);
  void copy(int lane, std::byte* to, const std::byte* from, std::int64_t bytes);
  // Tells the other ranks that a phase is done, and waits for them.
  void meet(int lane, Phase phase);

  int rank_;
  std::vector<std::byte*> staging_;
  std::uint32_t* flags_;
  std::array<Lane, kLanes> lanes_;
  CudaEvent ready_{cudaEventDisableTiming};
  int next_lane_ = 0;
};

}  // namespace mansard::kernels
