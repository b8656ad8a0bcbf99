// SPDX-License-Identifier: Apache-2.0
// Synchronization of replicas in the ledger of a step. Times are ns; comments derive the expected
// values.
#include <random>

#include <gtest/gtest.h>

#include "analyzer/explain/ledger.h"
#include "analyzer/steps/step_times.h"
#include "tests/analyzer/profile_builder.h"
#include "tests/analyzer/table_cells.h"

namespace mansard::test {
namespace {

constexpr const char* kMeanOfReplicas =
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage)";
constexpr const char* kSync = "synchronization";

analysis::DeviceSteps device_of(ProfileBuilder& builder) {
  const std::vector<analysis::DeviceSteps> all =
      analysis::step_times(analysis::analyze_run(builder.build(), {test_machine()}));
  EXPECT_EQ(all.size(), 1u);
  return all.empty() ? analysis::DeviceSteps{} : all.front();
}

std::int64_t idle_by(const analysis::TimeParts& parts, analysis::IdleCause cause) {
  return parts.idle_ns[static_cast<std::size_t>(cause)];
}

std::int64_t sum_of(const analysis::TimeParts& parts) {
  std::int64_t all = parts.communication_ns + parts.arrival_ns + parts.replica_sync_ns +
                     parts.copy_ns + parts.graph_ns + parts.idle_total_ns();
  for (const auto& [name, ns] : parts.class_ns) all += ns;
  return all;
}

// Training computes 0-100 and 100-600. The range 50-500 launches an all-reduce at 60, which runs
// 70-400, first alone in its class, and a kernel 410-450: all hidden.
TEST(ReplicaSync, IsHiddenBehindTheStepsKernels) {
  ProfileBuilder builder;
  builder.range(50, 500, kSync, kOtherThread);
  builder.launch(-10, 0, 100, "my_kernel");
  builder.launch(-5, 100, 600, "my_kernel");
  builder.launch(60, 70, 400, kMeanOfReplicas, kOtherThread).stream_id = 9;
  builder.launch(405, 410, 450, "my_kernel", kOtherThread).stream_id = 9;
  const analysis::TimeParts parts = device_of(builder).parts.at(0);
  EXPECT_EQ(parts.total_ns, 600);
  EXPECT_EQ(parts.class_ns.at("other"), 600);
  EXPECT_EQ(parts.replica_sync_ns, 0);
  EXPECT_EQ(parts.replica_syncing_ns, 450);
  EXPECT_EQ(parts.communicating_ns, 0);  // it is not communication of the step
}

// The training thread waits from 110 to 400 for a range on another thread, whose all-reduce runs
// 130-390, and launches at 410 what starts at 420.
class ForegroundSync : public testing::Test {
 protected:
  ForegroundSync() {
    builder_.launch(-10, 0, 100, "my_kernel");
    builder_.range(110, 400, kSync, kOtherThread);
    builder_.launch(120, 130, 390, kMeanOfReplicas, kOtherThread).stream_id = 9;
    builder_.launch(410, 420, 500, "my_kernel");
  }
  ProfileBuilder builder_;
};

TEST_F(ForegroundSync, IsExposedWhileTheStepWaits) {
  const analysis::DeviceSteps found = device_of(builder_);
  const analysis::TimeParts& parts = found.parts.at(0);
  EXPECT_EQ(parts.replica_sync_ns, 290);
  EXPECT_EQ(parts.replica_syncing_ns, 290);
  EXPECT_EQ(idle_by(parts, analysis::IdleCause::host_code), 10 + 10);  // 100-110 and 400-410
  EXPECT_EQ(idle_by(parts, analysis::IdleCause::launching), 10);
  EXPECT_EQ(parts.class_ns.at("other"), 100 + 80);
  EXPECT_EQ(parts.communication_ns, 0);
  EXPECT_EQ(sum_of(parts), 500);
  EXPECT_EQ(found.critical_parts.replica_sync_ns, 290);
  EXPECT_EQ(sum_of(found.critical_parts), 500);
  std::int64_t running_ns = 0;
  for (const auto& [row, time] : found.rows) running_ns += time.replica_sync_ns;
  EXPECT_EQ(running_ns, 260);  // of the all-reduce
}

TEST_F(ForegroundSync, IsALineOfTheLedger) {
  const analysis::RunAnalysis run = analysis::analyze_run(builder_.build(), {test_machine()});
  const analysis::Ledger ledger = analysis::explain_run(run);
  const auto line = std::ranges::find(ledger.lines, "replica_sync", &analysis::LedgerLine::id);
  ASSERT_NE(line, ledger.lines.end());
  EXPECT_NEAR(1e9 * line->time_s, 290, 1e-6);
  ASSERT_EQ(line->details.size(), 2u);
  EXPECT_NEAR(1e9 * line->details[0].adds_s, 260, 1e-6);  // the all-reduce
  EXPECT_NEAR(1e9 * line->details[1].adds_s, 30, 1e-6);   // waiting on the host
  EXPECT_NEAR(1e9 * ledger.residual_s(), 0, 1e-6);
  EXPECT_EQ(std::ranges::find(ledger.lines, "communication", &analysis::LedgerLine::id),
            ledger.lines.end());
}

// Against the same step without synchronization, the ledger has it as a line that can be removed.
TEST_F(ForegroundSync, IsALineOfTheGapToARunWithoutIt) {
  ProfileBuilder without;
  without.launch(-10, 0, 100, "my_kernel");
  without.launch(120, 130, 210, "my_kernel");
  const analysis::Ledger ledger =
      analysis::explain_gap(analysis::analyze_run(without.build(), {test_machine()}),
                            analysis::analyze_run(builder_.build(), {test_machine()}));
  const auto line = std::ranges::find(ledger.lines, "replica_sync", &analysis::LedgerLine::id);
  ASSERT_NE(line, ledger.lines.end());
  EXPECT_NEAR(1e9 * line->time_s, 290, 1e-6);
  ASSERT_TRUE(line->saving_s);
  EXPECT_NEAR(1e9 * *line->saving_s, 290, 1e-6);
  EXPECT_NEAR(1e9 * ledger.residual_s(), 0, 1e-6);
}

TEST_F(ForegroundSync, HasColumnsInTheTableOfSteps) {
  const analysis::RunAnalysis run = analysis::analyze_run(builder_.build(), {test_machine()});
  const analysis::Finding finding = analysis::analysis_registry().find("steps")->run(run);
  const analysis::Table& steps = finding.tables.at(1);
  EXPECT_NEAR(1e9 * number(steps, 0, "replica_sync_s"), 290, 1e-6);
  EXPECT_NEAR(1e9 * number(steps, 0, "replica_sync_hidden_s"), 0, 1e-6);
  EXPECT_NEAR(1e9 * number(steps, 0, "memcpy_memset_s"), 0, 1e-6);
  for (const std::vector<analysis::Cell>& row : steps.rows) {
    EXPECT_EQ(row.size(), steps.columns.size());
  }
  ASSERT_TRUE(steps.chart);
  EXPECT_EQ(steps.chart->value_keys.size(), steps.chart->value_kinds.size());
}

// The training thread loads data 105-405: it does not wait for the range.
TEST_F(ForegroundSync, IsHiddenBehindDataLoading) {
  builder_.range(105, 405, "dataloader next");
  const analysis::TimeParts parts = device_of(builder_).parts.at(0);
  EXPECT_EQ(parts.replica_sync_ns, 0);
  EXPECT_EQ(idle_by(parts, analysis::IdleCause::data_loading), 300);
  EXPECT_EQ(sum_of(parts), 500);
}

// A range that is still open when the training thread launches again delays nothing.
TEST(ReplicaSync, IsHiddenBehindHostCodeWhenItContinues) {
  ProfileBuilder builder;
  builder.launch(-10, 0, 100, "my_kernel");
  builder.range(50, 900, kSync, kOtherThread);
  builder.launch(60, 70, 800, kMeanOfReplicas, kOtherThread).stream_id = 9;
  builder.launch(190, 200, 300, "my_kernel");
  const analysis::TimeParts parts = device_of(builder).parts.at(0);
  EXPECT_EQ(parts.total_ns, 300);  // the all-reduce is not work of the step
  EXPECT_EQ(parts.replica_sync_ns, 0);
  EXPECT_EQ(parts.replica_syncing_ns, 250);  // 50-300
  EXPECT_EQ(idle_by(parts, analysis::IdleCause::host_code), 90);
  EXPECT_EQ(idle_by(parts, analysis::IdleCause::launching), 10);
}

// The second kernel, launched at 50, starts at 300, after the all-reduce has ended at 290. With the
// all-reduce until 350 it starts at 110: an ordinary gap.
TEST(ReplicaSync, IsExposedIfItDelaysAQueuedKernel) {
  for (const bool delays : {true, false}) {
    ProfileBuilder builder;
    builder.launch(-10, 0, 100, "my_kernel");
    builder.launch(50, delays ? 300 : 110, 400, "my_kernel");
    builder.range(55, 70, kSync, kOtherThread);
    builder.launch(60, 90, delays ? 290 : 350, kMeanOfReplicas, kOtherThread).stream_id = 9;
    const analysis::TimeParts parts = device_of(builder).parts.at(0);
    EXPECT_EQ(parts.replica_sync_ns, delays ? 190 : 0);
    EXPECT_EQ(idle_by(parts, analysis::IdleCause::between_kernels), 10);
    EXPECT_EQ(parts.replica_syncing_ns, delays ? 15 + 200 : 15 + 260);
    EXPECT_EQ(sum_of(parts), 400);
  }
}

// On the training thread, a range counts with the API calls in it.
TEST(ReplicaSync, IsExposedOnTheTrainingThread) {
  ProfileBuilder builder;
  builder.launch(-10, 0, 100, "my_kernel");
  builder.range(120, 300, kSync);
  builder.call(130, "cudaMalloc", 0);
  builder.profile().api_calls.back().end_ns = 290;
  builder.launch(310, 320, 400, "my_kernel");
  const analysis::TimeParts parts = device_of(builder).parts.at(0);
  EXPECT_EQ(parts.replica_sync_ns, 180);
  EXPECT_EQ(idle_by(parts, analysis::IdleCause::cuda_calls), 0);
  EXPECT_EQ(sum_of(parts), 400);
}

// The range and the work of a synchronization cross the boundary of steps at 1000 and do not move
// it.
TEST(ReplicaSync, DoesNotMoveTheSteps) {
  ProfileBuilder builder;
  for (int i = 0; i < 2; ++i) {
    builder.range(1000 * i, 1000 * i + 900, "step " + std::to_string(i));
    builder.launch(1000 * i + 10, 1000 * i + 20, 1000 * (i + 1), "my_kernel");
  }
  builder.range(800, 1800, kSync, kOtherThread);
  builder.launch(810, 820, 1700, kMeanOfReplicas, kOtherThread).stream_id = 9;
  const analysis::DeviceSteps found = device_of(builder);
  ASSERT_EQ(found.steps.size(), 2u);
  EXPECT_EQ(found.steps[0].end_ns, 1000);
  EXPECT_EQ(found.steps[1].end_ns, 2000);
  EXPECT_EQ(found.parts[0].replica_syncing_ns, 200);
  EXPECT_EQ(found.parts[1].replica_syncing_ns, 800);
}

// Ranges of another process, as in a merged profile, do not concern this device.
TEST(ReplicaSync, BelongsToItsProcess) {
  ProfileBuilder builder;
  builder.launch(-10, 0, 100, "my_kernel");
  builder.range(110, 400, kSync, (std::int64_t{8} << 24) | 3);
  builder.launch(410, 420, 500, "my_kernel");
  const analysis::TimeParts parts = device_of(builder).parts.at(0);
  EXPECT_EQ(parts.replica_syncing_ns, 0);
  EXPECT_EQ(idle_by(parts, analysis::IdleCause::host_code), 310);
}

// Collectives of two streams run 30-80 and 40-120, kernels 0-50 and 90-100: communication 30-120,
// exposed 50-90 and 100-120.
TEST(Communication, OfSeveralStreamsCountsOnce) {
  ProfileBuilder builder;
  builder.kernel(0, 50, "my_kernel");
  builder.kernel(30, 80, kMeanOfReplicas).stream_id = 7;
  builder.kernel(40, 120, kMeanOfReplicas).stream_id = 8;
  builder.kernel(90, 100, "my_kernel");
  const analysis::TimeParts parts = device_of(builder).parts.at(0);
  EXPECT_EQ(parts.communicating_ns, 90);
  EXPECT_EQ(parts.communication_ns, 60);
  EXPECT_EQ(sum_of(parts), 120);
}

TEST(ReplicaSync, PartsAddUpInRandomProfiles) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto number = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    ProfileBuilder builder;
    for (int i = 0; i < 4; ++i) {
      builder.range(5000 * i, 5000 * i + number(100, 4999), "step " + std::to_string(i));
    }
    std::int64_t now = 100;
    while (now < 19'000) {
      const std::int64_t end = now + number(10, 900);
      const std::int64_t thread = number(0, 2) > 0 ? kOtherThread : kMainThread;
      builder.range(now, end, kSync, thread);
      for (int i = number(0, 4); i > 0; --i) {
        const std::int64_t call = now + number(0, 300);
        const std::int64_t start = call + number(0, 300);
        builder.launch(call, start, start + number(0, 500),
                       number(0, 1) ? kMeanOfReplicas : "my_kernel", thread);
      }
      now = end + number(1, 1500);
    }
    for (int i = number(1, 100); i > 0; --i) {
      const std::int64_t start = number(0, 20'000);
      builder.launch(start - number(0, 300), start, start + number(0, 400),
                     number(0, 3) ? "my_kernel" : kMeanOfReplicas);
    }
    builder.kernel(20'500, 20'501, "my_kernel");
    const analysis::DeviceSteps found = device_of(builder);
    std::int64_t rows_ns = 0, sync_rows_ns = 0;
    for (const auto& [row, time] : found.rows) {
      rows_ns += time.owned_ns - time.replica_sync_ns;
      sync_rows_ns += time.replica_sync_ns;
      EXPECT_LE(time.replica_sync_launches, time.launches) << seed;
    }
    std::int64_t kernels_ns = found.typical_parts.communication_ns + found.typical_parts.arrival_ns;
    for (const auto& [name, ns] : found.typical_parts.class_ns) kernels_ns += ns;
    EXPECT_EQ(rows_ns, kernels_ns) << seed;
    EXPECT_LE(sync_rows_ns, found.typical_parts.replica_sync_ns) << seed;
    EXPECT_EQ(sum_of(found.critical_parts), found.typical_parts.total_ns) << seed;
    for (std::size_t i = 0; i < found.parts.size(); ++i) {
      const analysis::TimeParts& parts = found.parts[i];
      EXPECT_EQ(parts.total_ns, found.steps[i].duration_ns()) << seed;
      EXPECT_EQ(sum_of(parts), parts.total_ns) << seed;
      EXPECT_LE(parts.replica_sync_ns, parts.replica_syncing_ns) << seed;
      EXPECT_LE(parts.replica_syncing_ns, parts.total_ns) << seed;
    }
  }
}

}  // namespace
}  // namespace mansard::test
