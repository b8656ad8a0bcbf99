// SPDX-License-Identifier: Apache-2.0
// Ceiling of device memory for a copy with arithmetic: a = s * b, counted as in STREAM.
#include "kernels/ceilings/memory/stream_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Scale {
  static constexpr int kReads = 1;
  static constexpr double kFlop = 1;
  static constexpr stream::StreamShape kShape{};
  static constexpr float kScale = 0.625f;  // not a power of two, so every result is rounded
  __device__ static float element(float b, float) { return kScale * b; }
  __device__ static double expected(double b, double) { return 0.625 * b; }
};

}  // namespace

void register_hbm_scale(KernelRegistry& registry) {
  registry.add(stream::stream_spec<Scale>(
      "hbm_scale", "Device memory, a = s * b: bytes read plus bytes written"));
}

}  // namespace mansard::kernels
