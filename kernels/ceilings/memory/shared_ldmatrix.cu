// SPDX-License-Identifier: Apache-2.0
// Shared memory read by ldmatrix, which distributes the fragments of mma.sync: four 8 x 8 matrices
// of 16-bit elements per instruction, with adjacent rows of 16 bytes.
#include "kernels/ceilings/memory/shared_read.cuh"

namespace mansard::kernels {
namespace {

struct Ldmatrix {
  static constexpr const char* kInstruction = "ldmatrix.sync.aligned.m8n8.x4.shared.b16";
  static __device__ __forceinline__ std::uint32_t lane_offset(int lane) { return lane * 16; }
  static __device__ __forceinline__ uint4 load(std::uint32_t address) {
    uint4 v;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address));
    return v;
  }
  // Lanes 8r to 8r + 7 pass the rows of matrix r; a lane receives two elements of row lane / 4 (PTX
  // ISA, "ldmatrix").
  static int word(int lane, int r) { return (8 * r + lane / 4) * 4 + lane % 4; }
};

}  // namespace

void register_shared_ldmatrix(KernelRegistry& registry) {
  KernelSpec spec = shared_memory::shared_spec<shared_memory::SharedRead<Ldmatrix>>(
      "shared_ldmatrix", "Shared-memory reads with ldmatrix");
  spec.roof = false;
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
