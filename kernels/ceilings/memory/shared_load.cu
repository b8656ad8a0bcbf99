// SPDX-License-Identifier: Apache-2.0
// Shared memory's read ceiling: 16 bytes per lane, with consecutive lanes adjacent, so that each
// quarter of a warp uses all 32 banks once.
#include "kernels/ceilings/memory/shared_read.cuh"

namespace mansard::kernels {
namespace {

struct Load {
  static constexpr const char* kInstruction = "ld.shared.v4.u32";
  static __device__ __forceinline__ std::uint32_t lane_offset(int lane) { return lane * 16; }
  static __device__ __forceinline__ uint4 load(std::uint32_t address) {
    uint4 v;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address));
    return v;
  }
  static int word(int lane, int r) { return lane * 4 + r; }
};

}  // namespace

void register_shared_load(KernelRegistry& registry) {
  registry.add(shared_memory::shared_spec<shared_memory::SharedRead<Load>>(
      "shared_load", "Shared-memory loads, no bank conflicts"));
}

}  // namespace mansard::kernels
