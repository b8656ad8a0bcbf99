// SPDX-License-Identifier: Apache-2.0
// Collective operations of data-parallel ranks on arrays in the memory of their backends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/distributed/process_group.h"

namespace mansard::kernels {

class Backend;

// Every rank calls the same operations in the same order. An operation starts when those enqueued
// on the backend so far are done, and runs beside those that are enqueued later, and beside other
// operations on other arrays, until join().
// Results are equal bits on all ranks.
class Collectives {
 public:
  explicit Collectives(ProcessGroup& group) : group_(&group) {}
  virtual ~Collectives() = default;

  // For what the ranks agree on in host memory.
  ProcessGroup& group() const { return *group_; }
  int rank() const { return group_->rank(); }
  int size() const { return group_->size(); }
  virtual std::string name() const = 0;  // "NCCL 2.28.9"
  // Array that is exchanged at once beside other work, unless the caller knows better.
  virtual std::int64_t bucket_bytes() const = 0;

  // Replaces the array by its sum over the ranks.
  virtual void all_reduce(float* data, std::int64_t count) = 0;
  // Piece r of `size()` equal pieces becomes the sum on rank r; the other pieces are undefined.
  virtual void reduce_scatter(float* data, std::int64_t count) = 0;
  // Piece r of `all` becomes the piece of rank r, which may be in place.
  virtual void all_gather(const void* piece, void* all, std::int64_t bytes_per_rank) = 0;

  // Operations that are enqueued on the backend from now on start when all of the above are done.
  virtual void join() = 0;

 private:
  ProcessGroup* group_;
};

enum class Transport {
  automatic,     // copy engines, or NCCL if they cannot connect all ranks; TCP for the CPU
  copy_engines,  // GPUs of one host
  nccl,
};

std::optional<Transport> parse_transport(std::string_view key);  // "auto", "copy-engines", "nccl"

// For arrays in the memory of the backend. Everything passed must outlive the result. Throws
// std::runtime_error on all ranks if the transport cannot connect all of them.
std::unique_ptr<Collectives> make_collectives(ProcessGroup& group, Backend& backend,
                                              Transport transport = Transport::automatic);

// Over the group's connections, for arrays in host memory. Operations are done when they return.
std::unique_ptr<Collectives> make_host_collectives(ProcessGroup& group);

// Throw std::runtime_error in a build without CUDA. `stream`: the cudaStream_t of the backend,
// whose device is current. Copy engines: arrays are parts of allocations of cudaMalloc, and all
// ranks use the same parts of their allocations.
std::unique_ptr<Collectives> make_nccl_collectives(ProcessGroup& group, void* stream);
std::unique_ptr<Collectives> make_copy_engine_collectives(ProcessGroup& group, void* stream);

}  // namespace mansard::kernels
