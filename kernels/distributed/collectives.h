// SPDX-License-Identifier: Apache-2.0
// Collective operations of data-parallel ranks on arrays in the memory of their backends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/distributed/process_group.h"

namespace mansard::kernels {

class Backend;

// Every rank calls the same operations in the same order. An operation starts when those enqueued
// on the backend so far are done, and runs beside those that are enqueued later, until join().
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

// Over NCCL for CUDA, over the group's connections for the CPU. Everything passed must outlive the
// result. Throws std::runtime_error if NCCL cannot be loaded or initialized.
std::unique_ptr<Collectives> make_collectives(ProcessGroup& group, Backend& backend);

// Over the group's connections, for arrays in host memory. Operations are done when they return.
std::unique_ptr<Collectives> make_host_collectives(ProcessGroup& group);

// Throws std::runtime_error in a build without CUDA. `stream`: the cudaStream_t of the backend,
// whose device is current.
std::unique_ptr<Collectives> make_nccl_collectives(ProcessGroup& group, void* stream);

}  // namespace mansard::kernels
