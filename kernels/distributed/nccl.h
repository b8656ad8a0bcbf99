// SPDX-License-Identifier: Apache-2.0
// NCCL, loaded when it is first needed. Its declarations that Mansard uses are repeated here, so
// that no build needs its headers; a test compares them with nccl.h where there is one. Source:
// NCCL user guide, "NCCL API"; the ABI is the same in all versions 2.x.
#pragma once

#include <cstddef>
#include <string>

namespace mansard::kernels {

struct Nccl {
  static constexpr int kUniqueIdBytes = 128;
  struct UniqueId {
    char bytes[kUniqueIdBytes];
  };
  using Comm = void*;    // ncclComm_t
  using Stream = void*;  // cudaStream_t
  using Result = int;
  static constexpr Result kSuccess = 0;
  static constexpr int kInt8 = 0, kFloat32 = 7;  // ncclDataType_t
  static constexpr int kSum = 0;                 // ncclRedOp_t

  Result (*get_version)(int* version);
  Result (*get_unique_id)(UniqueId* id);
  Result (*comm_init_rank)(Comm* comm, int ranks, UniqueId id, int rank);
  Result (*comm_init_all)(Comm* comms, int devices, const int* ordinals);
  Result (*comm_destroy)(Comm comm);
  Result (*comm_abort)(Comm comm);
  const char* (*error_string)(Result result);
  const char* (*last_error)(Comm comm);
  Result (*all_reduce)(const void* in, void* out, std::size_t count, int type, int op, Comm comm,
                       Stream stream);
  Result (*reduce_scatter)(const void* in, void* out, std::size_t count_per_rank, int type, int op,
                           Comm comm, Stream stream);
  Result (*all_gather)(const void* in, void* out, std::size_t count_per_rank, int type, Comm comm,
                       Stream stream);
  Result (*send)(const void* in, std::size_t count, int type, int to, Comm comm, Stream stream);
  Result (*receive)(void* out, std::size_t count, int type, int from, Comm comm, Stream stream);
  Result (*group_start)();
  Result (*group_end)();

  std::string version;  // "2.28.9"

  // Throws std::runtime_error that names the attempted operation and NCCL's reason.
  void check(Result result, const std::string& attempted) const;
};

// Throws std::runtime_error if it cannot be loaded.
const Nccl& nccl();
// Empty if nccl() works, otherwise the reason.
const std::string& nccl_unavailable_reason();

}  // namespace mansard::kernels
