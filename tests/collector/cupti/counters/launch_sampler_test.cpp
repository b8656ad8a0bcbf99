// SPDX-License-Identifier: Apache-2.0
#include "collector/cupti/counters/launch_sampler.h"

#include <map>
#include <tuple>

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

std::vector<MetricGroup> groups(std::vector<std::size_t> passes_in_ranges,
                                std::size_t replayed = 0) {
  std::vector<MetricGroup> all;
  for (const std::size_t passes : passes_in_ranges) {
    all.push_back({{}, {}, passes, GroupReading::ranges});
  }
  for (std::size_t i = 0; i < replayed; ++i) all.push_back({{}, {}, 4, GroupReading::replay});
  return all;
}

TEST(LaunchSampler, ReadsTheFirstLaunchesOfEachSignature) {
  LaunchSampler sampler(groups({}, 1), 2);
  std::size_t slot = 0;
  for (const FunctionSignature& launch : {signature(1), signature(1, 7), signature(2)}) {
    for (int i = 0; i < 2; ++i) {
      const auto choice = sampler.choose(launch, "gemm");
      ASSERT_TRUE(choice.has_value());
      EXPECT_EQ(choice->slot, slot++);
      EXPECT_EQ(choice->turn.round, 1u);
    }
    EXPECT_FALSE(sampler.choose(launch, "gemm").has_value());
  }
}

// Launches of the same kernel with other library calls are other kernels.
TEST(LaunchSampler, LibraryCallsAreToldApart) {
  LaunchSampler sampler(groups({1}), 1);
  FunctionSignature large = signature(1);
  large.work = 77;
  EXPECT_TRUE(sampler.choose(signature(1), "gemm").has_value());
  EXPECT_TRUE(sampler.choose(large, "gemm").has_value());
  EXPECT_FALSE(sampler.choose(large, "gemm").has_value());
}

using Reads = std::map<std::tuple<std::uintptr_t, std::size_t, std::size_t>, int>;

// Launches `kernels` in turn until the sampler has finished, and counts reads by kernel, group and
// pass. A slot must stand for one kernel.
Reads run(LaunchSampler& sampler, std::uintptr_t kernels, std::size_t& rounds) {
  Reads reads;
  std::map<std::pair<std::size_t, std::size_t>, std::uintptr_t> kernel_of_slot;
  for (std::size_t launches = 0; !sampler.finished(); ++launches) {
    EXPECT_LT(launches, 50 * LaunchSampler::kPatience);
    if (launches > 50 * LaunchSampler::kPatience) break;
    const std::uintptr_t kernel = 1 + launches % kernels;
    const auto choice = sampler.choose(signature(kernel), "kernel");
    if (!choice) continue;
    const LaunchSampler::Turn& turn = choice->turn;
    ++reads[{kernel, turn.group, turn.pass}];
    rounds = std::max(rounds, turn.round);
    EXPECT_LT(choice->slot, turn.capacity);
    const auto [known, is_new] = kernel_of_slot.try_emplace({turn.round, choice->slot}, kernel);
    EXPECT_EQ(known->second, kernel);
    EXPECT_EQ(is_new, turn.pass == 0);
    if (choice->ends_round) {
      EXPECT_TRUE(choice->ends_pass);
      EXPECT_NE(sampler.open_round(), turn.round);
    }
  }
  return reads;
}

// A training step of 40 signatures, repeated: all passes of all groups, each group opened once.
TEST(LaunchSampler, StepsGetAllPassesInOneRoundPerGroup) {
  LaunchSampler sampler(groups({6, 1}, 1), 2);
  std::size_t rounds = 0;
  const Reads reads = run(sampler, 40, rounds);
  EXPECT_EQ(reads.size(), 40u * 8);
  for (const auto& [what, times] : reads) EXPECT_EQ(times, 2);
  EXPECT_EQ(rounds, 3u);
}

TEST(LaunchSampler, MoreSignaturesThanSlotsTakeSeveralRounds) {
  LaunchSampler sampler(groups({2}), 1);
  std::size_t rounds = 0;
  const Reads reads = run(sampler, 300, rounds);
  EXPECT_EQ(reads.size(), 300u * 2);
  EXPECT_EQ(rounds, 5u) << "of 64 slots";
}

TEST(LaunchSampler, ReadsOnlyWantedKernelsAndFinishesEarly) {
  LaunchSampler sampler(groups({3}), 1);
  const auto wanted = [](const FunctionSignature& launch, std::string_view) {
    return launch.function == signature(2).function || launch.function == signature(5).function;
  };
  sampler.want(wanted, 2);
  std::size_t rounds = 0;
  const Reads reads = run(sampler, 100, rounds);
  EXPECT_EQ(reads.size(), 2u * 3);
  EXPECT_EQ(rounds, 1u);
  EXPECT_EQ(sampler.choose(signature(7), "kernel"), std::nullopt);
  sampler.want([](const FunctionSignature&, std::string_view) { return true; }, 100);
  EXPECT_FALSE(sampler.finished());
  EXPECT_EQ(run(sampler, 100, rounds).size(), 98u * 3) << "the others";
}

// A kernel of the first pass that is never launched again does not hold the others up for ever.
TEST(LaunchSampler, PassesEndWithoutTheMissing) {
  LaunchSampler sampler(groups({3}), 1);
  EXPECT_FALSE(sampler.choose(signature(98), "once").has_value());
  EXPECT_FALSE(sampler.choose(signature(99), "twice").has_value());
  ASSERT_TRUE(sampler.choose(signature(99), "twice").has_value());
  std::size_t rounds = 0;
  const Reads reads = run(sampler, 4, rounds);
  EXPECT_EQ(reads.size(), 4u * 3);
  EXPECT_EQ(rounds, 1u);
}

TEST(LaunchSampler, GraphsAreReadInRangesOnly) {
  LaunchSampler sampler(groups({2}, 1), 1);
  FunctionSignature graph = signature(1);
  graph.graph_id = 4;
  sampler.want(
      [](const FunctionSignature& launch, std::string_view) { return launch.graph_id == 4; }, 1);
  std::size_t reads = 0;
  for (int i = 0; i < 30 && !sampler.finished(); ++i) {
    const auto choice = sampler.choose(graph, "");
    reads += choice ? 1 : 0;
    EXPECT_TRUE(!choice || choice->turn.group == 0);
  }
  EXPECT_EQ(reads, 2u);
  EXPECT_TRUE(sampler.finished()) << "within a few launches of a graph per step";
}

TEST(LaunchSampler, SkipsKernelsThatWaitForOtherRanks) {
  LaunchSampler sampler(groups({1}), 2);
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
  LaunchSampler sampler(groups({1}), 1);
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
