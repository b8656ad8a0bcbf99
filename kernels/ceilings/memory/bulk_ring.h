// SPDX-License-Identifier: Apache-2.0
// Host side of the ceilings that stream through a ring in shared memory.
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

#include "kernels/ceilings/memory/stream_arrays.h"
#include "kernels/device/occupancy.h"

namespace mansard::kernels {

// One variant; tuned in a single line.
template <int kPlaces, int kBytesOfPiece, int kResidentBlocks>
struct BulkRing {
  static constexpr int kStages = kPlaces;
  static constexpr int kPieceBytes = kBytesOfPiece;
  static constexpr int kBlocksPerSm = kResidentBlocks;
  static constexpr int kBytes = kStages * kPieceBytes;
  static_assert(kPieceBytes % 128 == 0, "pieces keep the alignment of the ring");

  // Blocks of the persistent grid. Also gives the kernel its shared memory.
  template <typename Kernel>
  static int blocks(Kernel kernel, int threads, int units) {
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
               "reserve " + std::to_string(kBytes) + " bytes of shared memory for a bulk ceiling");
    const int resident = resident_blocks_per_sm(kernel, threads, kBytes);
    if (resident == 0) {
      throw std::runtime_error("a block with " + std::to_string(kBytes) +
                               " bytes of shared memory does not fit on an SM of this device");
    }
    return units * std::min(kBlocksPerSm, resident);
  }

  static std::map<std::string, std::string> parameters() {
    return {{"ring_stages", std::to_string(kStages)},
            {"bytes_per_bulk_copy", std::to_string(kPieceBytes)}};
  }
};

inline KernelSpec bulk_spec(std::string name, std::string summary) {
  KernelSpec spec = stream::device_memory_spec(std::move(name), std::move(summary));
  spec.unsupported = [enough_memory = spec.unsupported](const DeviceInfo& device) -> std::string {
    if (device.compute_capability < 90)
      return "needs compute capability 9.0 or higher (bulk copies)";
    return enough_memory(device);
  };
  return spec;
}

}  // namespace mansard::kernels
