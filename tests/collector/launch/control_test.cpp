// SPDX-License-Identifier: Apache-2.0
// `mansard control` and the processes that it talks with.
#include "collector/launch/control.h"

#include <csignal>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "tests/collector/run_program.h"

namespace mansard {
namespace {

using namespace test;
using namespace std::chrono_literals;

constexpr auto kPatience = 20s;

// A folder for the blocks that no other test shares.
class Control : public testing::Test {
 protected:
  Control() { setenv("MANSARD_CONTROL_FOLDER", (scratch / "control").c_str(), 1); }
  ~Control() override { unsetenv("MANSARD_CONTROL_FOLDER"); }

  std::vector<RecordedProcess> wait_for_processes(std::size_t count) {
    std::vector<RecordedProcess> found;
    for (int i = 0; i < 1000 && found.size() < count; ++i) {
      std::this_thread::sleep_for(10ms);
      found = recorded_processes();
    }
    return found;
  }

  // Runs `shell` with `options` and `during` beside it.
  template <class During>
  Ran run_with(const std::string& shell, const RecordingOptions& options, During during) {
    std::thread other([&] { during(); });
    const Ran ran = run_shell(scratch, shell, "run.sqlite", options);
    other.join();
    return ran;
  }

  std::size_t files_left() {
    std::size_t n = 0;
    for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator(scratch / "control"))
      ++n;
    return n;
  }

  Scratch scratch;
  RecordingOptions paused = [] {
    RecordingOptions options;
    options.paused = true;
    return options;
  }();
};

TEST_F(Control, StartsStopsAndStartsAgain) {
  std::vector<ControlReply> replies;
  std::size_t steps_after_stop = 0;
  const Ran ran = run_with("exec " + program("steps") + " 200 0.02", paused, [&] {
    const auto processes = wait_for_processes(1);
    ASSERT_EQ(processes.size(), 1u);
    const RecordedProcess process = find_recorded(scratch / "run.sqlite").at(0);
    const auto ask = [&](ControlCommand command) {
      replies.push_back(control(process, command, kPatience));
    };
    std::this_thread::sleep_for(300ms);
    EXPECT_FALSE(std::filesystem::exists(scratch / "run.sqlite")) << "recorded while paused";
    ask(ControlCommand::none);
    ask(ControlCommand::start);
    ask(ControlCommand::start);
    std::this_thread::sleep_for(300ms);
    ask(ControlCommand::stop);
    steps_after_stop = load_profile(scratch / "run.sqlite").nvtx.size();
    ask(ControlCommand::stop);
    std::this_thread::sleep_for(300ms);
    ask(ControlCommand::flush);
    EXPECT_EQ(load_profile(scratch / "run.sqlite").nvtx.size(), steps_after_stop);
    EXPECT_EQ(find_recorded(std::to_string(process.pid)).at(0).file, scratch / "run.sqlite");
    ask(ControlCommand::start);
  });
  EXPECT_EQ(ran.out, "200\n");
  EXPECT_EQ(ran.err, "");
  using enum ControlResult;
  using enum ControlState;
  ASSERT_EQ(replies.size(), 7u);
  EXPECT_EQ(replies[0].state, waiting);
  const ControlResult results[] = {done, nothing_to_do, done, nothing_to_do, done, done};
  const ControlState states[] = {recording, recording, waiting, waiting, waiting, recording};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(replies[i + 1].result, results[i]) << i;
    EXPECT_EQ(replies[i + 1].state, states[i]) << i;
  }
  EXPECT_EQ(replies[6].windows, 2u);

  EXPECT_GT(steps_after_stop, 10u) << "a stop leaves all in the file";
  const Profile p = load_profile(scratch / "run.sqlite");
  ASSERT_EQ(p.session.windows.size(), 2u);
  EXPECT_EQ(p.session.window_request, "--paused");
  EXPECT_EQ(count(p, "whole run | flop=9e9"), 2u) << "once for each window";
  EXPECT_EQ(count(p, "step 1"), 0u);
  EXPECT_EQ(count(p, "step 200"), 1u);
  EXPECT_EQ(files_left(), 0u);
  EXPECT_THROW(find_recorded(scratch / "run.sqlite"), std::runtime_error);
}

TEST_F(Control, FlushMakesARunningRecordingReadable) {
  std::size_t events = 0;
  run_with("exec " + program("steps") + " 100 0.02", {}, [&] {
    const auto processes = wait_for_processes(1);
    ASSERT_EQ(processes.size(), 1u);
    EXPECT_EQ(control(processes[0], ControlCommand::flush, kPatience).result, ControlResult::done);
    events = load_profile(scratch / "run.sqlite").nvtx.size();
  });
  EXPECT_GT(events, 0u);
}

TEST_F(Control, TwoProcessesOfOneFile) {
  const std::string both = program("steps") + " 100 0.02 & exec " + program("steps") + " 100 0.02";
  run_with(both, paused, [&] {
    ASSERT_EQ(wait_for_processes(2).size(), 2u);
    const auto processes = find_recorded(scratch / "run.sqlite");
    ASSERT_EQ(processes.size(), 2u) << "both were asked to record to it";
    const ControlReply reply = control(processes[1], ControlCommand::start, kPatience);
    EXPECT_EQ(reply.state, ControlState::recording);
    EXPECT_EQ(control(processes[0], ControlCommand::none, kPatience).state, ControlState::waiting);
  });
}

TEST_F(Control, AfterTheWindowsEndItIsTooLate) {
  RecordingOptions options;
  parse_steps("1:3", options);
  run_with("exec " + program("steps") + " 60 0.02", options, [&] {
    const auto processes = wait_for_processes(1);
    ASSERT_EQ(processes.size(), 1u);
    std::this_thread::sleep_for(300ms);
    const ControlReply reply = control(processes[0], ControlCommand::start, kPatience);
    EXPECT_EQ(reply.result, ControlResult::too_late);
    EXPECT_EQ(reply.state, ControlState::over);
  });
}

TEST_F(Control, KilledProcessIsForgotten) {
  run_with("exec " + program("ending") + " forever " + (scratch / "pid").string(), {}, [&] {
    const auto processes = wait_for_processes(1);
    ASSERT_EQ(processes.size(), 1u);
    kill(static_cast<pid_t>(processes[0].pid), SIGKILL);
    for (int i = 0; i < 500 && !recorded_processes().empty(); ++i)
      std::this_thread::sleep_for(10ms);
    EXPECT_TRUE(recorded_processes().empty());
    EXPECT_THROW(control(processes[0], ControlCommand::start, kPatience), std::runtime_error);
  });
  EXPECT_EQ(files_left(), 0u);
}

TEST_F(Control, FolderOfOthersIsNotUsedAndTheProgramGoesOn) {
  std::filesystem::create_directory(scratch / "control");
  std::filesystem::permissions(scratch / "control", std::filesystem::perms::all);
  const Ran ran = run_shell(scratch, "exec " + program("steps") + " 3", "run.sqlite", paused);
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.out, "3\n");
  EXPECT_EQ(files_left(), 0u);
  EXPECT_NE(ran.err.find("cannot be started"), std::string::npos) << ran.err;
}

TEST_F(Control, ProgramKeepsItsFileDescriptorsAndSignals) {
  run_with("exec " + program("steps") + " 40 0.02", paused, [&] {
    const auto processes = wait_for_processes(1);
    ASSERT_EQ(processes.size(), 1u);
    const std::string proc = "/proc/" + std::to_string(processes[0].pid);
    for (const auto& entry : std::filesystem::directory_iterator(proc + "/fd")) {
      std::error_code gone;
      const std::string target = std::filesystem::read_symlink(entry.path(), gone);
      // Its output goes to the folder too; paused, it has no recording yet.
      const bool output = target.ends_with("/stdout") || target.ends_with("/stderr");
      EXPECT_TRUE(output || !target.starts_with(scratch.folder().string())) << target;
    }
    std::ifstream status(proc + "/status");
    for (std::string line; std::getline(status, line);) {
      if (!line.starts_with("SigCgt:")) continue;
      // Above 31 are those of the C library's threads.
      const std::uint64_t caught = std::stoull(line.substr(7), nullptr, 16);
      EXPECT_EQ(caught & 0x7fffffff, 0u) << "a handler of ours: " << line;
    }
  });
}

}  // namespace
}  // namespace mansard
