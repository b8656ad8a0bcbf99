// SPDX-License-Identifier: Apache-2.0
// Tests which events are in a profile of part of a program.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "collector/launch/control.h"
#include "collector/store/profile_writer.h"
#include "collector/store/sqlite.h"
#include "tests/collector/running_steps.h"

namespace mansard::collector {
namespace {

using namespace test;

constexpr std::int64_t kLoadedMachine_ns = 10'000'000'000;

collector::RecordingOptions steps(const char* text) {
  collector::RecordingOptions options;
  collector::parse_steps(text, options);
  return options;
}

collector::RecordingOptions range(const char* text) {
  collector::RecordingOptions options;
  collector::parse_capture_range(text, options);
  return options;
}

Ran run_window(const Scratch& scratch, const std::string& name, const std::string& arguments,
               const collector::RecordingOptions& options) {
  return run_shell(scratch, "exec " + program(name) + " " + arguments, "run.sqlite", options);
}

TEST(Window, StepsAndRangesThatOverlapThem) {
  const Scratch scratch;
  const Ran ran = run_window(scratch, "steps", "6", steps("3:5"));
  EXPECT_EQ(ran.out, "1\n2\n3\n4\n5\n6\n");
  EXPECT_EQ(ran.err, "");
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(p.session.state, store::RecordingState::complete);
  for (const int i : {1, 2, 3, 4, 5, 6}) {
    const std::string n = std::to_string(i);
    const std::size_t times = i == 3 || i == 4 ? 1 : 0;
    EXPECT_EQ(count(p, "step " + n), times) << i;
    EXPECT_EQ(count(p, "fprop " + n + " | flop=2e6"), times) << i;
    EXPECT_EQ(count(p, "step of the optimizer " + n), times) << i;
    EXPECT_EQ(count(p, "other " + n), times) << "another thread, step " << i;
  }
  ASSERT_EQ(p.session.windows.size(), 1u);
  const store::RecordedWindow window = p.session.windows[0];
  EXPECT_EQ(p.session.window_request, "--steps 3:5 --step-range step");

  // Open before and after the window: clipped to the window's start, without an end or annotation.
  ASSERT_EQ(count(p, "whole run | flop=9e9"), 1u);
  const store::NvtxRecord whole = *find(p, "whole run | flop=9e9");
  EXPECT_TRUE(whole.began_earlier);
  EXPECT_EQ(whole.start_ns, window.start_ns);
  EXPECT_EQ(whole.end_ns, -1);
  EXPECT_EQ(p.work.size(), 2u);
  for (const store::NvtxRecord& r : p.nvtx) {
    if (r.row_id == p.nvtx[0].row_id || r.began_earlier) continue;
    EXPECT_GE(r.start_ns, window.start_ns) << p.text(r);
    EXPECT_LE(r.end_ns, window.end_ns) << p.text(r);
  }
  EXPECT_FALSE(find(p, "step 3")->began_earlier);
}

TEST(Window, ClippedRangeIsMarkedInJsonColumn) {
  const Scratch scratch;
  run_window(scratch, "steps", "3", steps("2:3"));
  store::Database database((scratch / "run.sqlite").string(), store::Database::Access::read_only);
  store::Statement row = database.prepare(
      "SELECT text, json_extract(jsonText, '$.beganBeforeRecording') FROM NVTX_EVENTS "
      "WHERE jsonText IS NOT NULL");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.text(0), "whole run | flop=9e9");
  EXPECT_EQ(row.integer(1), 1);
  EXPECT_FALSE(row.step());
}

TEST(Window, EachMatchingRangeIsAWindow) {
  const Scratch scratch;
  run_window(scratch, "steps", "200", range("nvtx:fprop 7"));
  const store::Profile one = store::load_profile(scratch / "run.sqlite");
  ASSERT_EQ(one.session.windows.size(), 1u);
  EXPECT_EQ(count(one, "fprop 7 | flop=2e6"), 1u);
  EXPECT_GE(find(one, "fprop 7 | flop=2e6")->start_ns, one.session.windows[0].start_ns);
  EXPECT_EQ(count(one, "other 7"), 1u);
  EXPECT_EQ(count(one, "step 7"), 1u);
  EXPECT_TRUE(find(one, "step 7")->began_earlier);
  EXPECT_EQ(find(one, "step 7")->end_ns, -1);
  EXPECT_EQ(one.nvtx.size(), 4u) << "fprop, other, step and the whole run";
}

TEST(Window, EachShortWindowHasTheEnclosingRange) {
  const Scratch scratch;
  run_window(scratch, "ranges", "1 400", range("nvtx:fprop"));
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(p.session.windows.size(), 200u);
  EXPECT_EQ(count(p, "fprop | flop=2e9 dram=3e6 precision=fp32"), 200u);
  EXPECT_EQ(count(p, "step"), 200u);
  EXPECT_EQ(p.work.size(), 200u);
  for (const store::RecordedWindow& window : p.session.windows)
    EXPECT_GE(window.end_ns, window.start_ns);
  for (const store::NvtxRecord& r : p.nvtx) EXPECT_EQ(r.began_earlier, p.text(r) == "step");
}

TEST(Window, ManyThreadsRecordOnlyEventsInside) {
  const Scratch scratch;
  const Ran ran = run_window(scratch, "ranges", "8 20000", steps("1000:2000"));
  EXPECT_EQ(ran.out, std::to_string(8L * 9999 * 10000 / 2) + "\n");
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  ASSERT_EQ(p.session.windows.size(), 1u);
  EXPECT_GT(p.nvtx.size(), 1000u);
  EXPECT_LT(p.nvtx.size(), 4000u);
  for (const store::NvtxRecord& r : p.nvtx) {
    ASSERT_GE(r.start_ns, p.session.windows[0].start_ns);
    ASSERT_LE(r.end_ns, p.session.windows[0].end_ns);
  }
}

// Records steps that run until the duration is over, and counts them.
struct TimedRun {
  std::int64_t asked_utc_ns;
  store::Profile profile;
  int steps;
};

TimedRun run_timed(double delay_s, double duration_s) {
  const Scratch scratch;
  setenv("MANSARD_CONTROL_FOLDER", (scratch / "control").c_str(), 1);
  collector::RecordingOptions options;
  options.delay_s = delay_s;
  options.duration_s = duration_s;
  const std::int64_t asked_utc_ns = store::utc_now_ns();
  RunningSteps steps(scratch, options);
  const auto now_is = [](collector::ControlState state) {
    const auto found = recorded_processes();
    return !found.empty() &&
           control(found[0], collector::ControlCommand::status, std::chrono::seconds(40)).state ==
               state;
  };
  wait_until([&] { return now_is(collector::ControlState::over); }, "the end of the duration");
  steps.wait_for(1);
  steps.end();
  unsetenv("MANSARD_CONTROL_FOLDER");
  if (!std::filesystem::exists(scratch / "run.sqlite")) return {asked_utc_ns, {}, steps.count()};
  return {asked_utc_ns, store::load_profile(scratch / "run.sqlite"), steps.count()};
}

TEST(Window, DelayAndDuration) {
  // Both are relative to the start of the command; a loaded machine may start the program later.
  double delay_s = 0.5;
  TimedRun run = run_timed(delay_s, 0.6);
  while (run.profile.session.windows.empty() && delay_s < 10) {
    delay_s *= 3;
    run = run_timed(delay_s, 0.6 * delay_s / 0.5);
  }
  const store::Profile& p = run.profile;
  ASSERT_EQ(p.session.windows.size(), 1u);
  // A loaded machine can wake up a thread late, but never early.
  const store::RecordedWindow window = p.session.windows[0];
  const auto begin_ns = run.asked_utc_ns + static_cast<std::int64_t>(delay_s * 1e9);
  const auto end_ns = begin_ns + static_cast<std::int64_t>(1.2 * delay_s * 1e9);
  EXPECT_GE(p.session.start_utc_ns + window.start_ns, begin_ns);
  EXPECT_GE(p.session.start_utc_ns + window.end_ns, end_ns);
  EXPECT_LE(p.session.start_utc_ns + window.end_ns, end_ns + kLoadedMachine_ns);
  EXPECT_EQ(count(p, "step " + std::to_string(run.steps)), 0u) << "the last step";
  EXPECT_EQ(find(p, "whole run | flop=9e9")->start_ns, window.start_ns);
}

TEST(Window, NeverOpenedLeavesNoFileAndReportsWhy) {
  const Scratch scratch;
  const Ran ran = run_window(scratch, "steps", "5", steps("10:12"));
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.out, "1\n2\n3\n4\n5\n");
  EXPECT_TRUE(ran.result.recorded.empty());
  EXPECT_NE(ran.err.find("only 5 ranges"), std::string::npos) << ran.err;
}

TEST(Window, OpenUntilProgramEnd) {
  const Scratch scratch;
  run_window(scratch, "steps", "5", steps("4:99"));
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(count(p, "step 3"), 0u);
  EXPECT_EQ(count(p, "step 4"), 1u);
  EXPECT_EQ(count(p, "step 5"), 1u);
  EXPECT_GT(find(p, "whole run | flop=9e9")->end_ns, 0) << "ended within the window";
  EXPECT_TRUE(find(p, "whole run | flop=9e9")->began_earlier);
}

TEST(Window, WholeRunHasNoWindowRows) {
  const Scratch scratch;
  run(scratch, "steps", "2");
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_TRUE(p.session.windows.empty());
  EXPECT_EQ(store::describe_windows(p.session), "");
}

#if MANSARD_TEST_NVTX
TEST(Window, DomainsAndRangesThatEndOnOtherThreads) {
  const Scratch scratch;
  run_window(scratch, "nvtx_calls", "", range("nvtx:start ex"));
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  ASSERT_EQ(p.session.windows.size(), 1u);
  EXPECT_GE(find(p, "start ex")->end_ns, find(p, "start ex")->start_ns);
  EXPECT_FALSE(find(p, "start ex")->began_earlier);
  EXPECT_TRUE(find(p, "start a")->began_earlier);
  EXPECT_EQ(find(p, "push a"), nullptr);
  EXPECT_EQ(find(p, "mark a"), nullptr);
  EXPECT_EQ(find(p, "never ended"), nullptr);

  const Scratch other;
  run_window(other, "nvtx_calls", "", range("nvtx:domain start@domain b"));
  EXPECT_NE(find(store::load_profile(other / "run.sqlite"), "domain start"), nullptr);
  const Scratch wrong;
  EXPECT_TRUE(run_window(wrong, "nvtx_calls", "", range("nvtx:domain start@domain a"))
                  .result.recorded.empty());
}
#endif

}  // namespace
}  // namespace mansard::collector
