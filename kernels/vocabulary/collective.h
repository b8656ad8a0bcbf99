// SPDX-License-Identifier: Apache-2.0
// Collective operations between ranks, and the bytes that they send over a link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mansard {

enum class CollectiveOperation : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  reduce,
  send_receive,
};

constexpr std::string_view to_string(CollectiveOperation operation) {
  switch (operation) {
    case CollectiveOperation::all_reduce:
      return "all-reduce";
    case CollectiveOperation::all_gather:
      return "all-gather";
    case CollectiveOperation::reduce_scatter:
      return "reduce-scatter";
    case CollectiveOperation::all_to_all:
      return "all-to-all";
    case CollectiveOperation::broadcast:
      return "broadcast";
    case CollectiveOperation::reduce:
      return "reduce";
    case CollectiveOperation::send_receive:
      return "send and receive";
  }
  return "";
}

// For names: "all_reduce".
constexpr std::string_view key_of(CollectiveOperation operation) {
  switch (operation) {
    case CollectiveOperation::all_reduce:
      return "all_reduce";
    case CollectiveOperation::all_gather:
      return "all_gather";
    case CollectiveOperation::reduce_scatter:
      return "reduce_scatter";
    case CollectiveOperation::all_to_all:
      return "all_to_all";
    case CollectiveOperation::broadcast:
      return "broadcast";
    case CollectiveOperation::reduce:
      return "reduce";
    case CollectiveOperation::send_receive:
      return "send_receive";
  }
  return "";
}

// The ceiling kernel that measures it: "nccl_all_reduce_8".
inline std::string collective_ceiling(CollectiveOperation operation, std::int64_t ranks) {
  return "nccl_" + std::string(key_of(operation)) + "_" + std::to_string(ranks);
}

// With the copy engines of GPUs of a host instead of NCCL: "copy_engine_all_reduce_8".
inline std::string copy_engine_ceiling(CollectiveOperation operation, std::int64_t ranks) {
  return "copy_engine_" + std::string(key_of(operation)) + "_" + std::to_string(ranks);
}

// Whether a buffer of each rank has a part for every rank.
constexpr bool has_part_for_each(CollectiveOperation operation) {
  return operation == CollectiveOperation::all_gather ||
         operation == CollectiveOperation::reduce_scatter ||
         operation == CollectiveOperation::all_to_all;
}

// Bus bytes of a call: what each GPU sends over its links in one direction if the ranks form a
// ring, as nccl-tests defines it (doc/PERFORMANCE.md of NVIDIA/nccl-tests). `message_bytes`: the
// buffer of a rank for all-reduce, broadcast, reduce and send; otherwise the larger of its two
// buffers. Bus bytes are the message times 2 (n - 1) / n for all-reduce, (n - 1) / n for
// all-gather, reduce-scatter and all-to-all, and 1 otherwise. Empty if n is needed and `ranks`
// is not positive.
constexpr std::optional<double> bus_bytes(CollectiveOperation operation, double message_bytes,
                                          std::int64_t ranks) {
  const bool reduces_all = operation == CollectiveOperation::all_reduce;
  if (!reduces_all && !has_part_for_each(operation)) return message_bytes;
  if (ranks <= 0) return std::nullopt;
  const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  return (reduces_all ? 2 : 1) * others * message_bytes;
}

}  // namespace mansard
