// SPDX-License-Identifier: Apache-2.0
#include "analyzer/launch_table.h"

#include <gtest/gtest.h>

#include "analyzer/run_analysis.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

using analysis::LaunchKind;

// Calls at 5 and 20; the kernel of the second call starts first.
store::Profile two_streams() {
  ProfileBuilder builder;
  builder.launch(5, 100, 200, "late");
  builder.launch(20, 50, 90, "early").stream_id = 8;
  builder.memcpy(300, 320);
  store::Profile profile = builder.build();
  store::MemsetRecord& fill = profile.memsets.emplace_back();
  fill.start_ns = 400;
  fill.end_ns = 410;
  return profile;
}

TEST(LaunchTable, NumbersLaunchesByKind) {
  const store::Profile profile = two_streams();
  const analysis::LaunchTable launches(profile);
  ASSERT_EQ(launches.size(), 4u);
  EXPECT_EQ(launches.of(LaunchKind::memcpy, 0), 2u);
  EXPECT_EQ(launches.of(LaunchKind::memset, 0), 3u);
  for (std::size_t launch = 0; launch < launches.size(); ++launch) {
    EXPECT_EQ(launches.of(launches.kind(launch), launches.record(launch)), launch);
  }
  EXPECT_EQ(launches.kind(1), LaunchKind::kernel);
  EXPECT_EQ(launches.kind(2), LaunchKind::memcpy);
  EXPECT_EQ(launches.kind(3), LaunchKind::memset);
}

TEST(LaunchTable, OrdersLaunchesByTheirCalls) {
  const store::Profile profile = two_streams();
  ASSERT_EQ(profile.string(profile.kernels[0].demangled_name), "early");
  // Memcpy and memset have no call.
  EXPECT_EQ(analysis::LaunchTable(profile).in_call_order(), (std::vector<std::uint32_t>{1, 0}));
}

TEST(LaunchTable, OfARunHasItsRows) {
  const analysis::RunAnalysis run = analysis::analyze_run(two_streams(), {});
  const analysis::LaunchTable& launches = analysis::launches_of(run);
  ASSERT_EQ(launches.size(), 4u);
  EXPECT_EQ(run.rows[launches.row(0)].short_name, "early");
  EXPECT_EQ(run.rows[launches.row(1)].short_name, "late");
  EXPECT_EQ(run.rows[launches.row(2)].kind, analysis::RowKind::memcpy);
  EXPECT_EQ(run.rows[launches.row(3)].kind, analysis::RowKind::memset);
}

TEST(LaunchTable, OfAProfileWithoutLaunchesIsEmpty) {
  const analysis::LaunchTable launches{store::Profile()};
  EXPECT_EQ(launches.size(), 0u);
  EXPECT_TRUE(launches.in_call_order().empty());
}

}  // namespace
}  // namespace mansard::test
