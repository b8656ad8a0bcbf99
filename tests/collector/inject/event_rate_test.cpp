// SPDX-License-Identifier: Apache-2.0
// No event is lost that a program can reasonably make. The counts are the database's own, without
// loading a million ranges. tests/gpu/check_event_rate.py holds the rate for longer.
#include <gtest/gtest.h>

#include "collector/store/recording_summary.h"
#include "tests/collector/run_program.h"
#include "tests/support/sanitizers.h"

namespace mansard::collector {
namespace {

using namespace test;

TEST(EventRate, AMillionRangesOfEightThreadsAtOnce) {
  const Scratch scratch;
  // The program ends with most of them not written yet: on a busy machine that takes more than the
  // 2 s that exits wait by default.
  collector::RecordingOptions patient;
  patient.exit_timeout_s = 60;
  const Ran ran =
      run_shell(scratch, "exec " + program("ranges") + " 8 125000", "run.sqlite", patient);
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.err, "");
  const store::RecordingSummary summary = store::summarize_recording(scratch / "run.sqlite");
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
  const store::RecordingSummary summary = store::summarize_recording(scratch / "run.sqlite");
  EXPECT_EQ(summary.ranges, 600'000);
  EXPECT_EQ(summary.dropped_events, 0);
}

}  // namespace
}  // namespace mansard::collector
