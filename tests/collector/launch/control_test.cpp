// SPDX-License-Identifier: Apache-2.0
// Tests `mansard control` and the processes that it controls.
#include "collector/launch/control.h"

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/collector/running_steps.h"
#include "tests/support/sanitizers.h"

namespace mansard::collector {
namespace {

using namespace test;
using namespace std::chrono_literals;

constexpr auto kPatience = 40s;

// Uses a folder for control blocks that no other test shares.
class Control : public testing::Test {
 protected:
  Control() { setenv("MANSARD_CONTROL_FOLDER", (scratch / "control").c_str(), 1); }
  ~Control() override { unsetenv("MANSARD_CONTROL_FOLDER"); }

  std::vector<RecordedProcess> wait_for_processes(std::size_t count) {
    std::vector<RecordedProcess> found;
    wait_until(
        [&] {
          found = recorded_processes();
          return found.size() >= count;
        },
        std::to_string(count) + " recorded processes");
    return found;
  }

  std::size_t rows() { return store::load_profile(scratch / "run.sqlite").nvtx.size(); }

  std::size_t files_left() {
    std::error_code missing;
    const std::filesystem::directory_iterator files(scratch / "control", missing);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  Scratch scratch;
  collector::RecordingOptions paused = [] {
    collector::RecordingOptions options;
    options.paused = true;
    return options;
  }();
};

// Root reads the folders of all users, who can put links into them, or in their place, to make root
// remove other files.
TEST_F(Control, LinksInPlaceOfBlocksOrFolderAreNotFollowed) {
  namespace fs = std::filesystem;
  const fs::path dead = scratch / "elsewhere" / "1";
  ASSERT_NE(collector::create_control_block(scratch / "elsewhere", "out.sqlite"), nullptr);
  // As if from a process that has ended: its file would be removed.
  fs::rename(scratch / "elsewhere" / std::to_string(getpid()), dead);
  {
    std::fstream file(dead, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(offsetof(collector::ControlBlock, process_start_ticks));
    const std::int64_t other = 1;
    file.write(reinterpret_cast<const char*>(&other), sizeof other);
  }
  fs::create_directory_symlink(scratch / "elsewhere", scratch / "control");
  EXPECT_TRUE(recorded_processes().empty());
  EXPECT_TRUE(fs::exists(dead)) << "the folder is a link";
  fs::remove(scratch / "control");
  fs::create_directory(scratch / "control");
  fs::create_symlink(dead, scratch / "control" / "1");
  fs::create_hard_link(dead, scratch / "control" / "2");
  EXPECT_TRUE(recorded_processes().empty());
  EXPECT_TRUE(fs::exists(fs::symlink_status(scratch / "control" / "1")));
  EXPECT_TRUE(fs::exists(scratch / "control" / "2"));
  fs::remove(scratch / "control" / "1");
  fs::remove(dead);
  EXPECT_TRUE(recorded_processes().empty());
  EXPECT_FALSE(fs::exists(scratch / "control" / "2")) << "the block of a dead process is removed";
}

TEST_F(Control, StartsStopsAndStartsAgain) {
  RunningSteps steps(scratch, paused);
  ASSERT_EQ(wait_for_processes(1).size(), 1u);
  const RecordedProcess process = find_recorded(scratch / "run.sqlite").at(0);
  using enum collector::ControlResult;
  using enum collector::ControlState;
  const auto ask = [&](collector::ControlCommand command, collector::ControlResult result,
                       collector::ControlState state) {
    const ControlReply reply = control(process, command, kPatience);
    EXPECT_EQ(reply.result, result);
    EXPECT_EQ(reply.state, state);
    return reply;
  };
  steps.wait_for(2);
  EXPECT_FALSE(std::filesystem::exists(scratch / "run.sqlite")) << "recorded while paused";
  ask(collector::ControlCommand::status, done, waiting);
  ask(collector::ControlCommand::start, done, recording);
  ask(collector::ControlCommand::start, nothing_to_do, recording);
  const int recorded_step = steps.count() + 2;
  steps.wait_for(3);
  ask(collector::ControlCommand::stop, done, waiting);
  const std::size_t rows_after_stop = rows();
  EXPECT_GT(rows_after_stop, 6u) << "after a stop, all events are in the file";
  ask(collector::ControlCommand::stop, nothing_to_do, waiting);
  const int missed_step = steps.count() + 2;
  steps.wait_for(2);
  ask(collector::ControlCommand::flush, done, waiting);
  EXPECT_EQ(rows(), rows_after_stop);
  EXPECT_EQ(find_recorded(std::to_string(process.pid)).at(0).file, scratch / "run.sqlite");
  EXPECT_EQ(ask(collector::ControlCommand::start, done, recording).windows, 2u);
  const Ran ran = steps.end();

  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.err, "");
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  ASSERT_EQ(p.session.windows.size(), 2u);
  EXPECT_EQ(p.session.window_request, "--paused");
  EXPECT_EQ(count(p, "whole run | flop=9e9"), 2u) << "once for each window";
  const auto times = [&](int step) { return count(p, "step " + std::to_string(step)); };
  EXPECT_EQ(times(1), 0u);
  EXPECT_EQ(times(recorded_step), 1u) << recorded_step;
  EXPECT_EQ(times(missed_step), 0u) << missed_step;
  EXPECT_EQ(times(steps.count()), 1u) << "the last, in the second window";
  EXPECT_EQ(files_left(), 0u);
  EXPECT_THROW(find_recorded(scratch / "run.sqlite"), std::runtime_error);
}

TEST_F(Control, FlushMakesARunningRecordingReadable) {
  RunningSteps steps(scratch);
  const auto processes = wait_for_processes(1);
  steps.wait_for(1);
  EXPECT_EQ(control(processes[0], collector::ControlCommand::flush, kPatience).result,
            collector::ControlResult::done);
  EXPECT_GT(rows(), 4u);
}

TEST_F(Control, TwoProcessesWithOneOutputName) {
  const RunningSteps steps(scratch, paused, 2);
  ASSERT_EQ(wait_for_processes(2).size(), 2u);
  const auto processes = find_recorded(scratch / "run.sqlite");
  ASSERT_EQ(processes.size(), 2u) << "both have this output name";
  const ControlReply reply = control(processes[1], collector::ControlCommand::start, kPatience);
  EXPECT_EQ(reply.state, collector::ControlState::recording);
  EXPECT_EQ(control(processes[0], collector::ControlCommand::status, kPatience).state,
            collector::ControlState::waiting);
}

TEST_F(Control, StartAfterTheWindowIsTooLate) {
  collector::RecordingOptions options;
  collector::parse_steps("1:3", options);
  RunningSteps steps(scratch, options);
  const auto processes = wait_for_processes(1);
  wait_until([&] { return steps.count() >= 3; }, "the third step");
  const ControlReply reply = control(processes[0], collector::ControlCommand::start, kPatience);
  EXPECT_EQ(reply.result, collector::ControlResult::too_late);
  EXPECT_EQ(reply.state, collector::ControlState::over);
}

TEST_F(Control, KilledProcessIsForgotten) {
  std::thread other([&] {
    run_shell(scratch, "exec " + program("ending") + " forever " + (scratch / "pid").string());
  });
  const auto processes = wait_for_processes(1);
  kill(static_cast<pid_t>(processes[0].pid), SIGKILL);
  wait_until([] { return recorded_processes().empty(); }, "forgotten");
  EXPECT_THROW(control(processes[0], collector::ControlCommand::start, kPatience),
               std::runtime_error);
  other.join();
  EXPECT_EQ(files_left(), 0u);
}

TEST_F(Control, FolderOfAnotherUserIsNotUsed) {
  std::filesystem::create_directory(scratch / "control");
  std::filesystem::permissions(scratch / "control", std::filesystem::perms::all);
  const Ran ran = run_shell(scratch, "exec " + program("steps") + " 3", "run.sqlite", paused);
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.out, "1\n2\n3\n");
  EXPECT_EQ(files_left(), 0u);
  EXPECT_NE(ran.err.find("cannot start recording"), std::string::npos) << ran.err;
}

TEST_F(Control, ProgramKeepsItsFileDescriptorsAndSignals) {
  if (kHasThreadSanitizer || kHasAddressSanitizer) {
    GTEST_SKIP() << "a sanitizer installs signal handlers of its own";
  }
  const RunningSteps steps(scratch, paused);
  const auto processes = wait_for_processes(1);
  const std::string proc = "/proc/" + std::to_string(processes[0].pid);
  for (const auto& entry : std::filesystem::directory_iterator(proc + "/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone);
    // Its output also goes to the folder; while paused, it has no profile yet.
    const bool output = target.ends_with("/stdout") || target.ends_with("/stderr");
    EXPECT_TRUE(output || !target.starts_with(scratch.folder().string())) << target;
  }
  std::ifstream status(proc + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigCgt:")) continue;
    // Signals above 31 belong to the C library's threads.
    const std::uint64_t caught = std::stoull(line.substr(7), nullptr, 16);
    EXPECT_EQ(caught & 0x7fffffff, 0u) << "a handler of ours: " << line;
  }
}

}  // namespace
}  // namespace mansard::collector
