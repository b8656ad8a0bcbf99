// SPDX-License-Identifier: Apache-2.0
// Ceiling of device memory for two streams read and one written: a = b + s * c, counted as in
// STREAM.
#include "kernels/ceilings/memory/stream_ceiling.cuh"

namespace mansard::kernels {
namespace {

struct Triad {
  static constexpr int kReads = 2;
  static constexpr double kFlop = 2;
  static constexpr stream::StreamShape kShape{};
  static constexpr float kScale = 0.625f;
  __device__ static float element(float b, float c) { return fmaf(kScale, c, b); }
  __device__ static double expected(double b, double c) { return b + 0.625 * c; }
};

}  // namespace

void register_hbm_triad(KernelRegistry& registry) {
  registry.add(stream::stream_spec<Triad>(
      "hbm_triad", "Device memory, a = b + s * c: bytes read plus bytes written"));
}

}  // namespace mansard::kernels
