// SPDX-License-Identifier: Apache-2.0
// The analysis "ranks" on tiny jobs. The comments derive the expected values.
#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"
#include "tests/analyzer/table_cells.h"

namespace mansard::test {
namespace {

constexpr const char* kNcclKernel = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";

analysis::Finding ranks_of(ProfileBuilder& builder) {
  return analysis::analysis_registry().find("ranks")->run(
      analysis::analyze_run(builder.build(), {test_machine()}));
}

// GPU 0 computes 0-40 ns and waits in its collective from 40; GPU 1 computes until 70 and starts
// it last. Both end at 100: wait 30 and transfer 60 - 30 = 30 on GPU 0, wait 0 and transfer 30 on
// GPU 1. A second collective 100-120 starts at the same time on both: both are the last.
TEST(Ranks, FindTheGpuThatOthersWaitFor) {
  ProfileBuilder builder;
  builder.kernel(0, 40, "my_kernel");
  builder.kernel(40, 100, kNcclKernel);
  builder.kernel(100, 120, kNcclKernel);
  builder.kernel(0, 70, "my_kernel").device_id = 1;
  builder.kernel(70, 100, kNcclKernel).device_id = 1;
  builder.kernel(100, 120, kNcclKernel).device_id = 1;
  const analysis::Table ranks = ranks_of(builder).tables.at(0);
  ASSERT_EQ(ranks.rows.size(), 2u);
  EXPECT_NEAR(number(ranks, 0, "rank_wait_s"), 30e-9, 1e-18);
  EXPECT_NEAR(number(ranks, 0, "communication_s"), 50e-9, 1e-18);
  EXPECT_NEAR(number(ranks, 1, "rank_wait_s"), 0, 1e-18);
  EXPECT_NEAR(number(ranks, 1, "communication_s"), 50e-9, 1e-18);
  EXPECT_NEAR(number(ranks, 0, "last_share"), 0.5, 1e-12);
  EXPECT_NEAR(number(ranks, 1, "last_share"), 1, 1e-12);
  EXPECT_NEAR(number(ranks, 0, "mean_wait_s"), 15e-9, 1e-18);
  EXPECT_EQ(ranks.rows.at(1).at(0), analysis::Cell(std::int64_t{1})) << "GPU 1";
  // 70 ns of kernels instead of 40, in 120 ns.
  EXPECT_NE(ranks_of(builder).summary.find("GPU 1 needs 30.0 ns (25.0 %) per step more"),
            std::string::npos)
      << ranks_of(builder).summary;
  for (std::size_t row = 0; row < 2; ++row) {
    EXPECT_NEAR(number(ranks, row, "step_s"),
                number(ranks, row, "kernels_s") + number(ranks, row, "communication_s") +
                    number(ranks, row, "rank_wait_s") + number(ranks, row, "memcpy_memset_s") +
                    number(ranks, row, "idle_s"),
                1e-18);
  }
}

TEST(Ranks, ReportThatNoCollectiveCouldBeMatched) {
  ProfileBuilder builder;
  builder.kernel(0, 40, "my_kernel");
  builder.kernel(0, 50, "my_kernel").device_id = 1;
  const analysis::Finding finding = ranks_of(builder);
  EXPECT_NE(finding.summary.find("mansard merge"), std::string::npos);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(finding.tables.at(0).rows.at(0).back()))
      << "not known, and no zero";
}

TEST(Ranks, PlotTheExtremesOfManyGpus) {
  ProfileBuilder builder;
  for (int gpu = 0; gpu < 40; ++gpu) builder.kernel(0, 100 + gpu, "my_kernel").device_id = gpu;
  const analysis::Table ranks = ranks_of(builder).tables.at(0);
  EXPECT_EQ(ranks.rows.size(), 40u);
  EXPECT_EQ(ranks.chart->rows.size(), 16u);
  EXPECT_EQ(ranks.chart->rows.front(), 0u) << "the fastest";
  EXPECT_EQ(ranks.chart->rows.back(), 39u) << "the slowest";
}

TEST(Ranks, NeedTwoGpus) {
  ProfileBuilder builder;
  builder.kernel(0, 40, "my_kernel");
  EXPECT_TRUE(ranks_of(builder).tables.empty());
}

}  // namespace
}  // namespace mansard::test
