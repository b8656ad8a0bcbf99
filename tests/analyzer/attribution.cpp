// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analyzer/attribution/work_shares.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

// Name of the range that kernel `i` (sorted by start) was attributed to; "": none.
std::string range_name(const analysis::Attribution& attribution, std::size_t i) {
  const std::int32_t range = attribution.range_of_kernel.at(i);
  return range < 0 ? "" : attribution.ranges.at(static_cast<std::size_t>(range)).work->name;
}

const analysis::AttributedRange& named(const analysis::Attribution& attribution,
                                       std::string_view name) {
  for (const analysis::AttributedRange& range : attribution.ranges) {
    if (range.work->name == name) return range;
  }
  throw std::runtime_error("no such range");
}

TEST(Attribution, TheInnermostAnnotatedRangeWins) {
  ProfileBuilder b;
  b.range(0, 100, "outer | flop=1");
  b.range(10, 50, "plain");  // carries no annotation: seen through
  b.range(20, 40, "inner | flop=2");
  b.launch(15, 1000, 1010, "k");
  b.launch(30, 1020, 1030, "k");
  b.launch(45, 1040, 1050, "k");
  b.launch(99, 1060, 1070, "k");
  const store::Profile profile = b.build();
  const analysis::Attribution a = analysis::attribute_kernels(profile);
  EXPECT_EQ(range_name(a, 0), "outer");
  EXPECT_EQ(range_name(a, 1), "inner");
  EXPECT_EQ(range_name(a, 2), "outer");
  EXPECT_EQ(range_name(a, 3), "outer");
}

TEST(Attribution, TheLaunchDecidesNotTheExecution) {
  // The kernel runs while "second" is open on the host, but was launched in "first".
  ProfileBuilder b;
  b.range(0, 10, "first | flop=1");
  b.range(10, 100, "second | flop=1");
  b.launch(5, 50, 60, "k");
  const store::Profile profile = b.build();
  EXPECT_EQ(range_name(analysis::attribute_kernels(profile), 0), "first");
}

TEST(Attribution, ARangeExcludesItsEnd) {
  ProfileBuilder b;
  b.range(0, 10, "first | flop=1");
  b.range(10, 20, "second | flop=1");
  b.launch(10, 100, 110, "k");
  b.launch(20, 120, 130, "k");
  const store::Profile profile = b.build();
  const analysis::Attribution a = analysis::attribute_kernels(profile);
  EXPECT_EQ(range_name(a, 0), "second");
  EXPECT_EQ(range_name(a, 1), "");
}

TEST(Attribution, RangesOfOtherThreadsDoNotCount) {
  ProfileBuilder b;
  b.range(0, 100, "main | flop=1", kMainThread);
  b.range(20, 80, "other | flop=1", kOtherThread);
  b.launch(50, 1000, 1010, "k", kMainThread);
  b.launch(50, 1020, 1030, "k", kOtherThread);
  b.launch(10, 1040, 1050, "k", kOtherThread);
  b.launch(50, 1060, 1070, "k", kMainThread + 100);  // a thread without ranges
  const store::Profile profile = b.build();
  const analysis::Attribution a = analysis::attribute_kernels(profile);
  EXPECT_EQ(range_name(a, 0), "main");
  EXPECT_EQ(range_name(a, 1), "other");
  EXPECT_EQ(range_name(a, 2), "");
  EXPECT_EQ(range_name(a, 3), "");
}

TEST(Attribution, KernelsWithoutACallInARangeAreUnattributed) {
  ProfileBuilder b;
  b.range(0, 100, "range | flop=1");
  b.launch(200, 300, 310, "outside");
  b.kernel(400, 410, "call not recorded");
  b.launch(50, 500, 510, "in a graph").graph_node_id = 3;
  const store::Profile profile = b.build();
  const analysis::Attribution a = analysis::attribute_kernels(profile);
  EXPECT_EQ(range_name(a, 0), "");
  EXPECT_EQ(range_name(a, 1), "");
  EXPECT_EQ(range_name(a, 2), "");
  EXPECT_TRUE(named(a, "range").device_work);  // by the graph's launch
}

TEST(Attribution, StartEndRangesNeedNotNest) {
  // a: 0..30, b: 20..60 overlap. Launches at 10 -> a, 25 -> b (started last), 40 -> b.
  ProfileBuilder b;
  b.range(0, 30, "a | flop=1", kMainThread, store::NvtxEventType::start_end);
  b.range(20, 60, "b | flop=1", kMainThread, store::NvtxEventType::start_end);
  b.launch(10, 100, 110, "k");
  b.launch(25, 120, 130, "k");
  b.launch(40, 140, 150, "k");
  b.launch(70, 160, 170, "k");
  const store::Profile profile = b.build();
  const analysis::Attribution a = analysis::attribute_kernels(profile);
  EXPECT_EQ(range_name(a, 0), "a");
  EXPECT_EQ(range_name(a, 1), "b");
  EXPECT_EQ(range_name(a, 2), "b");
  EXPECT_EQ(range_name(a, 3), "");
  // Exclusive times: a has 0..20, b has 20..60.
  EXPECT_EQ(named(a, "a").exclusive_ns, 20);
  EXPECT_EQ(named(a, "b").exclusive_ns, 40);
}

TEST(Attribution, ExclusiveTimeLeavesOutAnnotatedChildrenOnly) {
  // parent 0..100, children 10..30 and 40..50, grandchild 15..20 in the first.
  ProfileBuilder b;
  b.range(0, 100, "parent | flop=1");
  b.range(10, 30, "first | flop=1");
  b.range(15, 20, "grandchild | flop=1");
  b.range(40, 50, "second | flop=1");
  b.range(60, 90, "plain");
  const store::Profile profile = b.build();
  const analysis::Attribution a = analysis::attribute_kernels(profile);
  EXPECT_EQ(named(a, "parent").exclusive_ns, 100 - 20 - 10);
  EXPECT_EQ(named(a, "first").exclusive_ns, 20 - 5);
  EXPECT_EQ(named(a, "grandchild").exclusive_ns, 5);
  EXPECT_EQ(named(a, "second").exclusive_ns, 10);
}

TEST(Attribution, RangesWithEqualStartsNestByLength) {
  ProfileBuilder b;
  b.range(0, 40, "inner | flop=1");  // written first: it was closed first
  b.range(0, 100, "outer | flop=1");
  b.launch(0, 1000, 1010, "k");
  b.launch(50, 1020, 1030, "k");
  const store::Profile profile = b.build();
  const analysis::Attribution a = analysis::attribute_kernels(profile);
  EXPECT_EQ(range_name(a, 0), "inner");
  EXPECT_EQ(range_name(a, 1), "outer");
}

TEST(Attribution, OpenRangesAndMarksAreLeftOut) {
  ProfileBuilder b;
  b.range(0, -1, "open | flop=1");
  b.range(5, -1, "mark | flop=1", kMainThread, store::NvtxEventType::mark);
  b.launch(10, 20, 30, "k");
  const store::Profile profile = b.build();
  const analysis::Attribution a = analysis::attribute_kernels(profile);
  EXPECT_TRUE(a.ranges.empty());
  EXPECT_EQ(a.open_ranges, 1u);
  EXPECT_EQ(range_name(a, 0), "");
}

TEST(Attribution, DeviceWorkPropagatesToAncestorsOnly) {
  ProfileBuilder b;
  b.range(0, 100, "step | flop=1");
  b.range(10, 40, "load | flop=1");
  b.range(50, 90, "layer | flop=1");
  b.range(60, 80, "copy | flop=1");
  b.call(70, "cudaMemcpyAsync", b.memcpy(500, 600).correlation_id);
  const store::Profile profile = b.build();
  const analysis::Attribution a = analysis::attribute_kernels(profile);
  EXPECT_TRUE(named(a, "step").device_work);
  EXPECT_FALSE(named(a, "load").device_work);
  EXPECT_TRUE(named(a, "layer").device_work);
  EXPECT_TRUE(named(a, "copy").device_work);
}

std::vector<analysis::KernelShare> shares_of(const store::Profile& profile) {
  return analysis::share_work(profile, analysis::attribute_kernels(profile),
                              analysis::KernelNames(profile, analysis::kernel_rules()));
}

TEST(WorkShares, InProportionToTime) {
  // 10, 30 and 60 ns of 100.
  ProfileBuilder b;
  b.range(0, 100, "range | flop=1");
  b.launch(10, 1000, 1010, "x");
  b.launch(20, 1100, 1130, "y");
  b.launch(30, 1200, 1260, "z");
  const std::vector<analysis::KernelShare> shares = shares_of(b.build());
  EXPECT_DOUBLE_EQ(shares[0].fraction, 0.1);
  EXPECT_DOUBLE_EQ(shares[1].fraction, 0.3);
  EXPECT_DOUBLE_EQ(shares[2].fraction, 0.6);
}

TEST(WorkShares, OnlyKernelsOfTheStatedClassIfThereAreAny) {
  ProfileBuilder b;
  b.range(0, 100, "linear | flop=1 class=gemm");
  b.launch(10, 1000, 1010, "nvfp4_quantize_1x16_kernel");
  b.launch(20, 1100, 1130, "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT");
  b.launch(30, 1200, 1210, "nvjet_tst_64x64_64x4_1x2_h_bz_coopA_TNT");
  const std::vector<analysis::KernelShare> shares = shares_of(b.build());
  EXPECT_EQ(shares[0].range, -1);
  EXPECT_DOUBLE_EQ(shares[1].fraction, 0.75);
  EXPECT_DOUBLE_EQ(shares[2].fraction, 0.25);
}

TEST(WorkShares, AllKernelsIfNoneIsOfTheStatedClass) {
  ProfileBuilder b;
  b.range(0, 100, "linear | flop=1 class=gemm");
  b.launch(10, 1000, 1010, "my_product");
  b.launch(20, 1100, 1130, "my_epilogue");
  const std::vector<analysis::KernelShare> shares = shares_of(b.build());
  EXPECT_DOUBLE_EQ(shares[0].fraction, 0.25);
  EXPECT_DOUBLE_EQ(shares[1].fraction, 0.75);
}

TEST(WorkShares, KernelsWithZeroDurationShareEqually) {
  ProfileBuilder b;
  b.range(0, 100, "range | flop=1");
  b.launch(10, 1000, 1000, "x");
  b.launch(20, 1100, 1100, "x");
  const std::vector<analysis::KernelShare> shares = shares_of(b.build());
  EXPECT_DOUBLE_EQ(shares[0].fraction, 0.5);
  EXPECT_DOUBLE_EQ(shares[1].fraction, 0.5);
}

// A graph is captured in ranges with work, cloned for execution, and launched twice.
TEST(Attribution, GraphNodesBelongToTheRangeOfTheirCreation) {
  ProfileBuilder b;
  b.range(0, 100, "capture | flop=1");
  b.range(10, 20, "gemm | flop=2");
  b.graph_node(15, 101);
  b.graph_node(16, 102);
  b.graph_node(50, 103);
  b.graph_node(60, 104, 0, kOtherThread);  // created by a thread without ranges
  for (std::int64_t node = 1; node <= 4; ++node) {
    b.graph_node(200 + node, 200 + node).graph_node(200 + node, 200 + node, 100 + node);
  }
  b.range(300, 400, "replay | flop=3");
  for (std::int64_t launch = 0; launch < 2; ++launch) {
    b.call(310 + launch, "cudaGraphLaunch", 900 + launch);
    for (std::int64_t node = 1; node <= 5; ++node) {  // the last was not recorded
      const std::int64_t start = 1000 + 100 * launch + 10 * node;
      store::KernelRecord& k = b.kernel(start, start + (node == 1 ? 9 : 3), "k");
      k.correlation_id = 900 + launch;
      k.graph_node_id = 200 + node;
    }
  }
  const store::Profile profile = b.build();
  const analysis::Attribution a = analysis::attribute_kernels(profile);
  for (const std::size_t first : {0, 5}) {
    EXPECT_EQ(range_name(a, first), "gemm");
    EXPECT_EQ(range_name(a, first + 1), "gemm");
    EXPECT_EQ(range_name(a, first + 2), "capture");
    EXPECT_EQ(range_name(a, first + 3), "");
    EXPECT_EQ(range_name(a, first + 4), "");
  }
  EXPECT_TRUE(named(a, "gemm").device_work);

  // Each launch does the work of the range once.
  const auto shares =
      analysis::share_work(profile, a, analysis::KernelNames(profile, analysis::kernel_rules()));
  for (const std::size_t first : {0, 5}) {
    EXPECT_DOUBLE_EQ(shares[first].fraction, 0.75);
    EXPECT_DOUBLE_EQ(shares[first + 1].fraction, 0.25);
    EXPECT_DOUBLE_EQ(shares[first + 2].fraction, 1);
  }
}

}  // namespace
}  // namespace mansard::test
