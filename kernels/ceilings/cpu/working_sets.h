// SPDX-License-Identifier: Apache-2.0
// Working-set sizes at which the host's memory tiers are measured. Sizes are totals over all
// threads, each of which works on an equal share.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/device/host_memory.h"
#include "kernels/device_info.h"
#include "kernels/kernel.h"
#include "kernels/vocabulary/memory_level.h"
#include "support/units.h"

namespace mansard::kernels {

struct TierWorkingSet {
  MemoryLevel level;
  std::int64_t bytes = 0;
  std::string note;  // limitation of the measurement; empty: none
};

struct TierCapacity {
  MemoryLevel level;
  double bytes = 0;  // total of all caches of the level that serve the used cores
};

// The caches that the device reports, innermost first.
inline std::vector<TierCapacity> cache_capacities(const DeviceInfo& device) {
  const std::array all = {TierCapacity{MemoryLevel::cpu_l1, device.l1_bytes * device.l1_count},
                          TierCapacity{MemoryLevel::cpu_l2, device.l2_bytes * device.l2_count},
                          TierCapacity{MemoryLevel::cpu_l3, device.l3_bytes * device.l3_count}};
  std::vector<TierCapacity> known;
  for (const TierCapacity& tier : all) {
    if (tier.bytes > 0) known.push_back(tier);
  }
  return known;
}

// The innermost tier that holds `bytes`; a kernel attributes the traffic of this working set to it.
inline MemoryLevel level_holding(const DeviceInfo& device, double bytes) {
  for (const TierCapacity& tier : cache_capacities(device)) {
    if (bytes <= tier.bytes) return tier.level;
  }
  return MemoryLevel::dram;
}

// STREAM requires arrays of four times the caches (www.cs.virginia.edu/stream/ref.html).
inline constexpr double kDramOverCache = 4;
inline constexpr double kSmallestDramBytes = 256.0 * (1 << 20);
// Below this multiple of the next inner tier, that tier would serve much of the traffic.
inline constexpr double kSeparation = 1.5;
inline constexpr double kShareOfAvailableMemory = 0.6;

inline std::string dram_note(const DeviceInfo& device, double bytes) {
  double caches = 0;  // the largest level: the L2s of many cores can exceed their L3
  for (const TierCapacity& tier : cache_capacities(device)) caches = std::max(caches, tier.bytes);
  // Kernels round their slices down slightly.
  if (bytes >= 0.99 * kDramOverCache * caches) return "";
  return "working set of " + format_capacity(bytes) + " is less than 4 x the cache capacity of " +
         format_capacity(caches) + ": caches may serve part of the traffic";
}

// The size for each tier that can be distinguished from the next inner one; others are omitted. A
// cache is measured at the geometric mean of the inner capacity and its own, but at no more than
// half of its own, because virtual machines and shared hosts often have only a part of the reported
// cache. If the inner tier is nearly as large, up to three quarters are used.
inline std::vector<TierWorkingSet> tier_working_sets(
    const DeviceInfo& device, double available_bytes = available_memory_bytes()) {
  std::vector<TierWorkingSet> tiers;
  const double most =
      kShareOfAvailableMemory * (available_bytes > 0 ? available_bytes : device.memory_bytes);
  double inside = 0;
  for (const TierCapacity& cache : cache_capacities(device)) {
    const double midway = inside > 0 ? std::sqrt(inside * cache.bytes) : 0.5 * cache.bytes;
    const double bytes = std::max(std::min(midway, 0.5 * cache.bytes), kSeparation * inside);
    if (bytes <= 0.75 * cache.bytes && bytes <= most) {
      tiers.push_back({cache.level, static_cast<std::int64_t>(bytes), ""});
    }
    inside = std::max(inside, cache.bytes);
  }
  const double dram = std::min(std::max(kDramOverCache * inside, kSmallestDramBytes), most);
  if (dram > 0 && dram >= kSeparation * inside) {
    tiers.push_back({MemoryLevel::dram, static_cast<std::int64_t>(dram), dram_note(device, dram)});
  }
  return tiers;
}

// One size per octave, from 4 KiB per thread to the largest measured size.
inline std::vector<std::int64_t> sweep_working_sets(
    const DeviceInfo& device, double available_bytes = available_memory_bytes()) {
  std::int64_t largest = 0;
  for (const TierWorkingSet& tier : tier_working_sets(device, available_bytes)) {
    largest = std::max(largest, tier.bytes);
  }
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 4096 * std::max(1, device.units); size <= largest; size *= 2) {
    sizes.push_back(size);
  }
  return sizes;
}

// The sizes of the curve, including those at which a tier is measured.
inline std::vector<WorkingSet> curve(const DeviceInfo& device) {
  std::vector<WorkingSet> sets;
  for (const std::int64_t bytes : sweep_working_sets(device)) {
    sets.push_back({static_cast<double>(bytes), std::nullopt});
  }
  for (const TierWorkingSet& tier : tier_working_sets(device)) {
    sets.push_back({static_cast<double>(tier.bytes), tier.level});
  }
  std::sort(sets.begin(), sets.end(),
            [](const WorkingSet& a, const WorkingSet& b) { return a.bytes < b.bytes; });
  return sets;
}

// The total in `options.shape`, or else the size at which DRAM is measured.
inline std::int64_t working_set_bytes(const std::string& kernel, const DeviceInfo& device,
                                      const PrepareOptions& options) {
  if (options.shape.size() > 1) {
    throw std::runtime_error(kernel + " takes one size, the working set in bytes, not " +
                             std::to_string(options.shape.size()));
  }
  if (!options.shape.empty()) return options.shape.front();
  const std::vector<TierWorkingSet> tiers = tier_working_sets(device);
  if (tiers.empty()) {
    throw std::runtime_error(kernel +
                             " finds too little free memory to measure any tier; name a "
                             "working set in bytes");
  }
  return tiers.back().bytes;
}

// Caches are measured on huge pages, because scattered small pages collide in physically indexed
// caches. DRAM is measured on default pages, which programs use, including STREAM.
inline Pages pages_for(MemoryLevel level) {
  return level == MemoryLevel::dram ? Pages::system_default : Pages::huge;
}

}  // namespace mansard::kernels
