// SPDX-License-Identifier: Apache-2.0
#include "analyzer/wave_quantization.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mansard::analysis {

namespace {

struct SmLimits {
  int compute_capability;  // 10 x major + minor
  int threads;
  int blocks;
  int shared_bytes;
};
constexpr int kRegisters = 65536;  // per SM, for all compute capabilities below
constexpr int kSubPartitions = 4;
constexpr int kWarp = 32;
constexpr int kRegisterUnit = 256;
constexpr int kSharedUnit = 128;
constexpr int kSystemSharedBytes = 1024;

constexpr std::array kLimits = {
    SmLimits{70, 2048, 32, 96 << 10},   SmLimits{75, 1024, 16, 64 << 10},
    SmLimits{80, 2048, 32, 164 << 10},  SmLimits{86, 1536, 16, 100 << 10},
    SmLimits{87, 1536, 16, 164 << 10},  SmLimits{89, 1536, 24, 100 << 10},
    SmLimits{90, 2048, 32, 228 << 10},  SmLimits{100, 2048, 32, 228 << 10},
    SmLimits{103, 2048, 32, 228 << 10}, SmLimits{120, 1536, 24, 100 << 10},
    SmLimits{121, 1536, 24, 100 << 10},
};

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::int64_t volume(const std::array<std::int32_t, 3>& size) {
  return std::int64_t{size[0]} * size[1] * size[2];
}

}  // namespace

std::optional<Waves> waves_of(const store::KernelRecord& kernel, const store::GpuRecord& gpu) {
  const int capability = 10 * gpu.compute_major + gpu.compute_minor;
  const auto limits = std::find_if(kLimits.begin(), kLimits.end(), [&](const SmLimits& l) {
    return l.compute_capability == capability;
  });
  const std::int64_t threads = rounded_up(volume(kernel.block), kWarp);
  const std::int64_t blocks = volume(kernel.grid);
  if (limits == kLimits.end() || gpu.sm_count <= 0 || threads <= 0 || blocks <= 0) return {};

  const std::int64_t warp_registers =
      rounded_up(std::int64_t{kernel.registers_per_thread} * kWarp, kRegisterUnit);
  const std::int64_t system_bytes = capability >= 80 ? kSystemSharedBytes : 0;
  const std::int64_t shared_bytes = rounded_up(
      system_bytes + kernel.static_shared_bytes + kernel.dynamic_shared_bytes, kSharedUnit);
  std::int64_t fit = std::min<std::int64_t>(limits->blocks, limits->threads / threads);
  if (warp_registers > 0) {
    // Warps share the registers of their sub-partition only.
    const std::int64_t warps = kSubPartitions * (kRegisters / kSubPartitions / warp_registers);
    fit = std::min(fit, warps / (threads / kWarp));
  }
  if (shared_bytes > 0) fit = std::min(fit, limits->shared_bytes / shared_bytes);
  if (fit <= 0) return {};

  Waves waves;
  waves.blocks_per_sm = static_cast<int>(fit);
  waves.waves = static_cast<double>(blocks) / static_cast<double>(fit * gpu.sm_count);
  // A single partial wave has no tail effect.
  if (waves.waves > 1) waves.tail_share = 1 - waves.waves / std::ceil(waves.waves);
  return waves;
}

}  // namespace mansard::analysis
