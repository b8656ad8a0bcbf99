// SPDX-License-Identifier: Apache-2.0
#if MANSARD_HAVE_CUDA

#include "kernels/device/resident_blocks.h"

#include <map>
#include <mutex>
#include <utility>

#include "kernels/device/cuda_check.h"
#include "kernels/device/occupancy.h"

namespace mansard::kernels {
namespace {

int ask(const void* kernel, int device, int threads, int shared_bytes) {
  cuda_check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
      "reserve " + std::to_string(shared_bytes) + " bytes of shared memory for a kernel");
  const int on_each =
      resident_blocks_per_sm(kernel, threads, static_cast<std::size_t>(shared_bytes));
  int multiprocessors = 0;
  cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "query the number of multiprocessors");
  return on_each * multiprocessors;
}

}  // namespace

int resident_blocks(const void* kernel, int threads, int shared_bytes) {
  int device = 0;
  cuda_check(cudaGetDevice(&device), "query the current device");
  static std::mutex mutex;
  static std::map<std::pair<const void*, int>, int> known;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = known.try_emplace({kernel, device}, 0);
  if (is_new || place->second == 0) place->second = ask(kernel, device, threads, shared_bytes);
  return place->second;
}

}  // namespace mansard::kernels

#endif
