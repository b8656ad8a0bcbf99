// SPDX-License-Identifier: Apache-2.0
// Tests what other processes see of a recording while it runs.
#include "collector/launch/live_recording.h"

#include <atomic>
#include <cstdlib>

#include <gtest/gtest.h>

#include "collector/launch/control.h"
#include "collector/store/recording_summary.h"
#include "tests/collector/running_steps.h"

namespace mansard::collector {
namespace {

using namespace test;
using namespace std::chrono_literals;

class Live : public testing::Test {
 protected:
  Live() { setenv("MANSARD_CONTROL_FOLDER", (scratch / "control").c_str(), 1); }
  ~Live() override { unsetenv("MANSARD_CONTROL_FOLDER"); }

  RecordedProcess wait_for_process() {
    wait_until([] { return !recorded_processes().empty(); }, "a recorded process");
    return recorded_processes().at(0);
  }

  Scratch scratch;
};

TEST_F(Live, ControlReportsWhatIsInTheFile) {
  collector::RecordingOptions paused;
  paused.paused = true;
  RunningSteps steps(scratch, paused);
  const RecordedProcess process = wait_for_process();
  EXPECT_EQ(process.progress.events, 0u);
  EXPECT_EQ(process.progress.file_bytes, 0u);
  control(process, collector::ControlCommand::start, 40s);
  steps.wait_for(3);
  // After a stop, the file does not change.
  control(process, collector::ControlCommand::stop, 40s);
  control(process, collector::ControlCommand::flush, 40s);
  const collector::RecordingProgress told =
      control(process, collector::ControlCommand::status, 40s).progress;
  EXPECT_GT(told.events, 6u);
  EXPECT_EQ(told.events, store::load_profile(scratch / "run.sqlite").nvtx.size());
  EXPECT_EQ(told.dropped_events, 0u);
  EXPECT_GE(told.file_bytes, std::filesystem::file_size(scratch / "run.sqlite"));
}

TEST_F(Live, LauncherProgressGrowsAndSurvivesProcessEnd) {
  LiveRecording live;
  RunningSteps steps(scratch);
  wait_for_process();
  const std::vector<std::filesystem::path> files = {scratch / "run.sqlite"};
  wait_until([&] { return live.look(files).events > 20; }, "twenty events");
  const std::uint64_t before = live.look(files).events;
  wait_until([&] { return live.look(files).events > before; }, "more events");
  const std::uint64_t last = live.look(files).events;
  EXPECT_EQ(LiveRecording().look({scratch / "other.sqlite"}).events, 0u) << "not of this program";
  steps.end();
  EXPECT_TRUE(recorded_processes().empty());
  EXPECT_EQ(live.look(files).events, last);
  EXPECT_LE(last, store::load_profile(scratch / "run.sqlite").nvtx.size());
}

TEST_F(Live, LostEventsAreReported) {
  collector::RecordingOptions options;
  options.memory_limit_bytes = collector::kLeastMemoryLimit_bytes;
  const std::filesystem::path seen = scratch / "seen";
  std::thread program_thread([&] {
    run_shell(scratch, "exec " + program("stalled_disk") + " 2 100000 " + seen.string(),
              "run.sqlite", options);
  });
  LiveRecording live;
  collector::RecordingProgress last;
  try {
    wait_until(
        [&] {
          last = live.look({scratch / "run.sqlite"});
          return last.dropped_events > 0;
        },
        "lost events");
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
  }
  std::ofstream(seen) << "";
  program_thread.join();
  EXPECT_GT(last.file_bytes, 0u);
  EXPECT_EQ(store::summarize_profile(scratch / "run.sqlite").dropped_events,
            static_cast<std::int64_t>(last.dropped_events));
}

TEST_F(Live, LauncherWatchesWhileTheProgramRuns) {
  std::atomic<int> calls = 0;
  std::vector<std::filesystem::path> seen;
  const std::filesystem::path enough = scratch / "enough";
  launch(
      {.command = {"/bin/sh", "-c", program("steps") + " " + enough.string() + " 0.002 >/dev/null"},
       .output = (scratch / "run.sqlite").string(),
       .collector = MANSARD_TEST_COLLECTOR,
       .watch =
           [&](const std::vector<std::filesystem::path>& recorded) {
             ++calls;
             seen = recorded;
             if (!recorded.empty()) std::ofstream(enough) << "";
           },
       .watch_period = 5ms});
  EXPECT_EQ(seen, (std::vector<std::filesystem::path>{scratch / "run.sqlite"}));
  const int at_the_end = calls;
  EXPECT_GT(at_the_end, 0);
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(calls, at_the_end);
}

TEST_F(Live, FailingWatcherIsHarmless) {
  int calls = 0;
  const LaunchResult result = launch({.command = {"/bin/sh", "-c", "sleep 0.2; exit 3"},
                                      .output = (scratch / "run.sqlite").string(),
                                      .collector = MANSARD_TEST_COLLECTOR,
                                      .watch =
                                          [&](const std::vector<std::filesystem::path>&) {
                                            ++calls;
                                            throw std::runtime_error("no");
                                          },
                                      .watch_period = 1ms});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_LE(calls, 1);
}

}  // namespace
}  // namespace mansard::collector
