// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/launch_sampler.h"

#include <map>

#include <gtest/gtest.h>

namespace mansard::collector {
namespace {

FunctionSignature signature(std::uintptr_t function, std::uint32_t grid = 1) {
  FunctionSignature launch;
  launch.function = reinterpret_cast<const void*>(function << 8);
  launch.grid = {grid, 1, 1};
  launch.block = {128, 1, 1};
  return launch;
}

TEST(LaunchSampler, ReadsTheFirstLaunchesOfEachSignature) {
  LaunchSampler sampler(1, 2);
  for (const FunctionSignature& launch : {signature(1), signature(1, 7), signature(2)}) {
    EXPECT_EQ(sampler.choose(launch, "gemm"), 0u);
    EXPECT_EQ(sampler.choose(launch, "gemm"), 0u);
    EXPECT_EQ(sampler.choose(launch, "gemm"), std::nullopt);
  }
}

// A training step of 40 signatures, repeated: all groups of all signatures, with few changes.
TEST(LaunchSampler, StepsGetAllGroupsWithFewChangesBetweenThem) {
  constexpr std::size_t kGroups = 7;
  LaunchSampler sampler(kGroups, 2);
  std::map<std::pair<std::uintptr_t, std::size_t>, int> reads;
  int changes = 0;
  std::size_t last = 0;
  int launches = 0;
  for (; !sampler.finished(); ++launches) {
    ASSERT_LT(launches, 40 * 1000);
    const std::uintptr_t kernel = 1 + static_cast<std::uintptr_t>(launches) % 40;
    const auto group = sampler.choose(signature(kernel), "kernel");
    if (!group) continue;
    ++reads[{kernel, *group}];
    changes += *group != last ? 1 : 0;
    last = *group;
  }
  EXPECT_EQ(reads.size(), 40 * kGroups);
  for (const auto& [what, times] : reads) EXPECT_EQ(times, 2);
  EXPECT_LE(changes, static_cast<int>(4 * kGroups));
}

TEST(LaunchSampler, HandlesRunsOfOneKernel) {
  LaunchSampler sampler(3, 1);
  for (std::uintptr_t kernel = 1; kernel <= 5; ++kernel) {
    std::map<std::size_t, int> reads;
    for (int i = 0; i < 400; ++i) {
      if (const auto group = sampler.choose(signature(kernel), "kernel")) ++reads[*group];
    }
    EXPECT_EQ(reads.size(), 3u) << kernel;
  }
}

TEST(LaunchSampler, SkipsKernelsThatWaitForOtherRanks) {
  LaunchSampler sampler(1, 2);
  EXPECT_EQ(sampler.choose(signature(1), "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)"),
            std::nullopt);
  EXPECT_EQ(sampler.choose(signature(2), "_ZN4vllm25cross_device_reduce_1stageE"), std::nullopt);
  EXPECT_TRUE(waits_for_others("nvshmemi_transfer_rma"));
  EXPECT_TRUE(waits_for_others("OneShotAllReduceKernel") ||
              waits_for_others("one_shot_all_reduce"));
  EXPECT_FALSE(waits_for_others("reduce_kernel<512, 1>"));
  EXPECT_FALSE(waits_for_others("nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_NNT"));
}

TEST(LaunchSampler, EndsWithoutNewSignatures) {
  LaunchSampler sampler(1, 1);
  EXPECT_FALSE(sampler.finished());
  sampler.choose(signature(1), "a");
  for (std::size_t i = 0; i < LaunchSampler::kPatience; ++i) {
    EXPECT_FALSE(sampler.finished());
    sampler.choose(signature(1), "a");
  }
  EXPECT_TRUE(sampler.finished());
}

}  // namespace
}  // namespace mansard::collector
