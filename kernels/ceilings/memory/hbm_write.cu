// SPDX-License-Identifier: Apache-2.0
// Ceiling of device memory for writes. Each word is different and computed from its index with one
// multiplication, one shift and one OR, so that neither constant data nor arithmetic affects the
// result.
#include "kernels/ceilings/memory/stream_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Write {
  static constexpr int kReads = 0;
  static constexpr double kFlop = 0;
  static constexpr stream::StreamShape kShape{};
  __device__ static float element(float made, float) { return made; }
  __device__ static double expected(double made, double) { return made; }
};

}  // namespace

void register_hbm_write(KernelRegistry& registry) {
  registry.add(stream::stream_spec<Write>("hbm_write", "Device memory, writes only"));
}

}  // namespace mansard::kernels
