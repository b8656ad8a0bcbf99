// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/cpu/working_sets.h"

#include <gtest/gtest.h>

namespace mansard::kernels {
namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;
constexpr double kGiB = 1024 * kMiB;

DeviceInfo device(int cores, double l1, double l2, double l3, int l3_count) {
  DeviceInfo d;
  d.units = cores;
  d.l1_bytes = l1;
  d.l2_bytes = l2;
  d.l3_bytes = l3;
  d.l1_count = l1 > 0 ? cores : 0;
  d.l2_count = l2 > 0 ? cores : 0;
  d.l3_count = l3_count;
  d.memory_bytes = 64 * kGiB;
  return d;
}

std::optional<TierWorkingSet> find(const std::vector<TierWorkingSet>& tiers, MemoryLevel level) {
  for (const TierWorkingSet& tier : tiers) {
    if (tier.level == level) return tier;
  }
  return std::nullopt;
}

// Invariants on any machine.
void expect_separated(const DeviceInfo& d, const std::vector<TierWorkingSet>& tiers,
                      double available_bytes) {
  const std::vector<TierCapacity> caches = cache_capacities(d);
  for (const TierWorkingSet& tier : tiers) {
    const auto bytes = static_cast<double>(tier.bytes);
    EXPECT_GT(bytes, 0);
    EXPECT_LE(bytes, 0.6 * available_bytes);
    EXPECT_EQ(level_holding(d, bytes), tier.level) << info(tier.level).key;
    for (const TierCapacity& cache : caches) {
      if (cache.level < tier.level) {
        EXPECT_GE(bytes + 1, 1.5 * cache.bytes);
      }
      if (cache.level == tier.level) {
        EXPECT_LE(bytes, 0.75 * cache.bytes);
      }
    }
  }
}

TEST(WorkingSets, FitTheirTierOnACommonServer) {
  const DeviceInfo d = device(8, 32 * kKiB, 1 * kMiB, 32 * kMiB, 1);
  const auto tiers = tier_working_sets(d, 50 * kGiB);
  ASSERT_EQ(tiers.size(), 4u);
  expect_separated(d, tiers, 50 * kGiB);
  EXPECT_EQ(find(tiers, MemoryLevel::cpu_l1)->bytes, 128 * kKiB);
  EXPECT_EQ(find(tiers, MemoryLevel::cpu_l3)->bytes, 16 * kMiB);
  EXPECT_EQ(find(tiers, MemoryLevel::dram)->bytes, 256 * kMiB);
  EXPECT_EQ(find(tiers, MemoryLevel::dram)->note, "");
}

TEST(WorkingSets, WorkWithoutAnL3) {
  const DeviceInfo d = device(4, 64 * kKiB, 2 * kMiB, 0, 0);
  const auto tiers = tier_working_sets(d, 4 * kGiB);
  expect_separated(d, tiers, 4 * kGiB);
  EXPECT_EQ(tiers.size(), 3u);
  EXPECT_EQ(find(tiers, MemoryLevel::cpu_l3), std::nullopt);
  EXPECT_EQ(find(tiers, MemoryLevel::dram)->bytes, 256 * kMiB);
}

TEST(WorkingSets, WorkWithoutAnyCache) {
  const auto tiers = tier_working_sets(device(4, 0, 0, 0, 0), 4 * kGiB);
  ASSERT_EQ(tiers.size(), 1u);
  EXPECT_EQ(tiers[0].level, MemoryLevel::dram);
  EXPECT_EQ(tiers[0].bytes, 256 * kMiB);
}

// Two cores of a large host: the 480 MiB are shared with other machines, so the L3 is measured far
// below that size, and DRAM far above.
TEST(WorkingSets, StayFarBelowAHugeL3) {
  const DeviceInfo d = device(2, 48 * kKiB, 2 * kMiB, 480 * kMiB, 1);
  const auto tiers = tier_working_sets(d, 20 * kGiB);
  expect_separated(d, tiers, 20 * kGiB);
  ASSERT_EQ(tiers.size(), 4u);
  EXPECT_LT(find(tiers, MemoryLevel::cpu_l3)->bytes, 48 * kMiB);
  EXPECT_EQ(find(tiers, MemoryLevel::dram)->bytes, 4 * 480 * kMiB);
}

TEST(WorkingSets, NoteWhenTheDramSizeIsTooSmall) {
  const DeviceInfo d = device(2, 48 * kKiB, 2 * kMiB, 480 * kMiB, 1);
  const auto tiers = tier_working_sets(d, 2 * kGiB);
  expect_separated(d, tiers, 2 * kGiB);
  const auto dram = find(tiers, MemoryLevel::dram);
  ASSERT_TRUE(dram);
  EXPECT_EQ(dram->bytes, static_cast<std::int64_t>(0.6 * 2 * kGiB));
  EXPECT_NE(dram->note.find("480 MiB"), std::string::npos) << dram->note;
}

// Half a gigabyte of memory and a cache of 480 MiB: no working set is certain to exceed the cache.
TEST(WorkingSets, OmitDramOnATinyMachine) {
  const DeviceInfo d = device(1, 48 * kKiB, 2 * kMiB, 480 * kMiB, 1);
  const auto tiers = tier_working_sets(d, 512 * kMiB);
  expect_separated(d, tiers, 512 * kMiB);
  EXPECT_EQ(find(tiers, MemoryLevel::dram), std::nullopt);
  EXPECT_TRUE(find(tiers, MemoryLevel::cpu_l3));
}

// 56 cores with 2 MiB of L2 each and 105 MiB of L3.
TEST(WorkingSets, OmitAnL3NoLargerThanTheL2s) {
  const DeviceInfo d = device(56, 48 * kKiB, 2 * kMiB, 105 * kMiB, 1);
  const auto tiers = tier_working_sets(d, 200 * kGiB);
  expect_separated(d, tiers, 200 * kGiB);
  EXPECT_EQ(find(tiers, MemoryLevel::cpu_l3), std::nullopt);
  EXPECT_EQ(find(tiers, MemoryLevel::dram)->bytes, 4 * 112 * kMiB);
}

TEST(WorkingSets, AddUpTheCachesOfAllPackages) {
  const DeviceInfo d = device(128, 32 * kKiB, 512 * kKiB, 32 * kMiB, 16);
  const auto tiers = tier_working_sets(d, 200 * kGiB);
  expect_separated(d, tiers, 200 * kGiB);
  EXPECT_EQ(find(tiers, MemoryLevel::dram)->bytes, 4 * 16 * 32 * kMiB);
}

TEST(WorkingSets, SweepRisesFromEachThreadsFirstPagesToDram) {
  const DeviceInfo d = device(8, 32 * kKiB, 1 * kMiB, 32 * kMiB, 1);
  const std::vector<std::int64_t> sizes = sweep_working_sets(d, 50 * kGiB);
  EXPECT_EQ(sizes.front(), 8 * 4096);
  EXPECT_EQ(sizes.back(), 256 * kMiB);
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    EXPECT_GT(sizes[i], sizes[i - 1]);
    EXPECT_LE(static_cast<double>(sizes[i]) / static_cast<double>(sizes[i - 1]), 2.0);
  }
}

}  // namespace
}  // namespace mansard::kernels
