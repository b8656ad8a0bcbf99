// SPDX-License-Identifier: Apache-2.0
// Device memory's ceiling for a copy that computes on its way: a = s * b, as STREAM counts it.
#include "kernels/ceilings/memory/stream_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Scale {
  static constexpr int kReads = 1;
  static constexpr double kFlop = 1;
  static constexpr stream::StreamShape kShape{};
  static constexpr float kScale = 0.625f;  // no power of two: every result is rounded
  __device__ static float element(float b, float) { return kScale * b; }
  __device__ static double expected(double b, double) { return 0.625 * b; }
};

}  // namespace

void register_hbm_scale(KernelRegistry& registry) {
  registry.add(stream::stream_spec<Scale>(
      "hbm_scale", "Device memory, a = s * b: bytes read plus bytes written"));
}

}  // namespace mansard::kernels
