// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/nccl.h"

#include <stdexcept>

#include "kernels/device/shared_library.h"

namespace mansard::kernels {
namespace {

Nccl load_nccl() {
  const SharedLibrary library(
      "NCCL",
      "libnccl2 of NVIDIA's repository; PyTorch's copy is in site-packages/nvidia/nccl/lib, which "
      "LD_LIBRARY_PATH may name",
      {"libnccl.so.2"});
  Nccl n{};
  library.load("ncclGetVersion", n.get_version);
  library.load("ncclGetUniqueId", n.get_unique_id);
  library.load("ncclCommInitRank", n.comm_init_rank);
  library.load("ncclCommInitAll", n.comm_init_all);
  library.load("ncclCommDestroy", n.comm_destroy);
  library.load("ncclCommAbort", n.comm_abort);
  library.load("ncclGetErrorString", n.error_string);
  library.load("ncclGetLastError", n.last_error);
  library.load("ncclAllReduce", n.all_reduce);
  library.load("ncclReduceScatter", n.reduce_scatter);
  library.load("ncclAllGather", n.all_gather);
  library.load("ncclSend", n.send);
  library.load("ncclRecv", n.receive);
  library.load("ncclGroupStart", n.group_start);
  library.load("ncclGroupEnd", n.group_end);
  int version = 0;
  n.check(n.get_version(&version), "query the version of NCCL");
  // Since 2.9: 10000 * major + 100 * minor + patch.
  n.version = std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
              std::to_string(version % 100);
  return n;
}

}  // namespace

void Nccl::check(Result result, const std::string& attempted) const {
  if (result == kSuccess) return;
  const char* const details = last_error(nullptr);
  throw std::runtime_error(
      "cannot " + attempted + ": NCCL reports '" + error_string(result) + "'" +
      (details != nullptr && *details != '\0' ? std::string(" (") + details + ")" : std::string()) +
      "; NCCL_DEBUG=WARN tells more");
}

const Nccl& nccl() {
  static const Nccl library = load_nccl();
  return library;
}

const std::string& nccl_unavailable_reason() {
  static const std::string reason = []() -> std::string {
    try {
      nccl();
      return "";
    } catch (const std::exception& error) {
      return error.what();
    }
  }();
  return reason;
}

}  // namespace mansard::kernels
