// SPDX-License-Identifier: Apache-2.0
// No events are lost at realistic rates. Counts with SQL instead of loading a million ranges.
// tests/gpu/check_event_rate.py runs for longer.
#include <gtest/gtest.h>

#include "collector/store/recording_summary.h"
#include "tests/collector/run_program.h"
#include "tests/support/sanitizers.h"

namespace mansard::collector {
namespace {

using namespace test;

TEST(EventRate, AMillionRangesOfEightThreadsAtOnce) {
  const Scratch scratch;
  // The program ends before most ranges are written; on a busy machine, writing them takes longer
  // than the default exit timeout of 2 s.
  collector::RecordingOptions patient;
  patient.exit_timeout_s = 60;
  const Ran ran =
      run_shell(scratch, "exec " + program("ranges") + " 8 125000", "run.sqlite", patient);
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.err, "");
  const store::ProfileSummary summary = store::summarize_profile(scratch / "run.sqlite");
  EXPECT_EQ(summary.state, store::RecordingState::complete);
  EXPECT_EQ(summary.ranges, 1'000'000);
  EXPECT_EQ(summary.annotated_ranges, 500'000);
  EXPECT_EQ(summary.dropped_events, 0);
}

TEST(EventRate, TwoHundredThousandASecond) {
  if (!kHasFullSpeed) GTEST_SKIP() << "the rate is that of an optimized build";
  const Scratch scratch;
  const Ran ran = run(scratch, "event_rate", "4 200000 3");
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.err, "");
  const store::ProfileSummary summary = store::summarize_profile(scratch / "run.sqlite");
  EXPECT_EQ(summary.ranges, 600'000);
  EXPECT_EQ(summary.dropped_events, 0);
}

}  // namespace
}  // namespace mansard::collector
