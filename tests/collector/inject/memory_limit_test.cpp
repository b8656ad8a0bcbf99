// SPDX-License-Identifier: Apache-2.0
// Tests memory use while the disk is stalled. The share of CUPTI is tested in
// cupti/cupti_source_test.cpp.
#include <sstream>

#include <gtest/gtest.h>

#include "collector/store/recording_summary.h"
#include "tests/collector/run_program.h"
#include "tests/support/sanitizers.h"

namespace mansard::collector {
namespace {

using namespace test;

// A sanitizer's own memory grows with the program's.
constexpr bool kGrowthIsOurs = !kHasAddressSanitizer && !kHasThreadSanitizer;

struct Held {
  std::int64_t entered = 0;
  std::int64_t grown_bytes = 0;
  store::ProfileSummary summary;
  std::string err;
};

Held run_stalled(std::int64_t limit_bytes, const std::string& arguments) {
  const Scratch scratch;
  collector::RecordingOptions options;
  options.memory_limit_bytes = limit_bytes;
  options.exit_timeout_s = 60;  // a slow disk must not lose events here
  const Ran ran = run_shell(scratch, "exec " + program("stalled_disk") + " " + arguments,
                            "run.sqlite", options);
  EXPECT_EQ(ran.result.exit_code, 0) << ran.err;
  Held held;
  std::istringstream(ran.out) >> held.entered >> held.grown_bytes;
  held.summary = store::summarize_profile(scratch / "run.sqlite");
  held.err = ran.err;
  return held;
}

TEST(MemoryLimitOfAProgram, HoldsWithAStalledDiskAndCountsLosses) {
  constexpr std::int64_t kLimit = 32 << 20;
  const Held held = run_stalled(kLimit, "4 200000");
  EXPECT_EQ(held.entered, 800'001);
  // Without a limit, this would be more than 100 MB. The limit applies to events; the threads'
  // stacks and heaps come in addition.
  if (kGrowthIsOurs) {
    EXPECT_LT(held.grown_bytes, kLimit);
  }
  EXPECT_GT(held.summary.dropped_events, 500'000);
  EXPECT_GT(held.summary.ranges, 10'000) << "the share of the ranges is used";
  EXPECT_EQ(held.summary.ranges + held.summary.dropped_events, held.entered);
  EXPECT_EQ(held.summary.state, store::RecordingState::complete);
  EXPECT_NE(held.err.find("--memory-limit"), std::string::npos) << held.err;
}

TEST(MemoryLimitOfAProgram, DefaultHoldsAMillionRanges) {
  const Held held = run_stalled(collector::kDefaultMemoryLimit_bytes, "4 250000");
  EXPECT_EQ(held.summary.ranges, 1'000'001);
  EXPECT_EQ(held.summary.dropped_events, 0);
  EXPECT_GT(held.grown_bytes, 64 << 20) << "measures the held memory";
  EXPECT_EQ(held.err, "");
}

TEST(MemoryLimitOfAProgram, HoldsForMoreThreadsThanBatches) {
  const Held held = run_stalled(collector::kLeastMemoryLimit_bytes, "150 2000");
  // The stacks and heaps of 150 threads are more than the batches.
  if (kGrowthIsOurs) {
    EXPECT_LT(held.grown_bytes, 64 << 20);
  }
  EXPECT_GT(held.summary.dropped_events, 0);
  EXPECT_EQ(held.summary.ranges + held.summary.dropped_events, held.entered);
}

}  // namespace
}  // namespace mansard::collector
