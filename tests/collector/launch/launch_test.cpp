// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/launch.h"

#include <signal.h>
#include <thread>

#include <gtest/gtest.h>

#include "tests/collector/run_program.h"
#include "tests/support/sanitizers.h"

namespace mansard::collector {
namespace {

using namespace test;
using namespace std::chrono_literals;

int exit_code_of(std::vector<std::string> command) {
  const Scratch scratch;
  try {
    return launch({.command = std::move(command),
                   .output = (scratch / "a.sqlite").string(),
                   .collector = MANSARD_TEST_COLLECTOR})
        .exit_code;
  } catch (const CannotRun& error) {
    return error.exit_code;
  }
}

TEST(Launch, ExitCodesOfProgramsThatCannotRun) {
  EXPECT_EQ(exit_code_of({"mansard-no-such-program"}), 127);
  EXPECT_EQ(exit_code_of({"/etc/passwd"}), 126);
  EXPECT_EQ(exit_code_of({"/"}), 126);
}

TEST(Launch, SearchesPathAndPreservesArguments) {
  EXPECT_EQ(
      exit_code_of({"sh", "-c", "test \"$1\" = 'a  b' && test $# = 1 && exit 9", "x", "a  b"}), 9);
}

TEST(Launch, ErrorNamesTheProgram) {
  try {
    launch({.command = {"mansard-no-such-program"}, .output = "x", .collector = "/x"});
    FAIL();
  } catch (const CannotRun& error) {
    EXPECT_STREQ(error.what(), "cannot run 'mansard-no-such-program': no such program");
  }
}

TEST(Launch, InvalidPatternIsRejectedBeforeRunning) {
  const Scratch scratch;
  const std::string touched = (scratch / "touched").string();
  EXPECT_THROW(launch({.command = {"touch", touched}, .output = "%z", .collector = "/x"}),
               std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(touched));
}

TEST(Launch, EnvironmentOfTheProgram) {
  const Scratch scratch;
  const Ran ran = run_shell(scratch,
                            "echo $NVTX_INJECTION64_PATH; echo $CUDA_INJECTION64_PATH; echo "
                            "$MANSARD_OUTPUT");
  const std::string collector = MANSARD_TEST_COLLECTOR;
  EXPECT_EQ(ran.out,
            collector + "\n" + collector + "\n" + (scratch / "run.sqlite").string() + "\n");
}

class Forwarded : public testing::TestWithParam<std::pair<int, int>> {};

// Sent to the launcher and received by the program, which exits in its own way.
TEST_P(Forwarded, SignalReachesTheProgram) {
  if (kHasThreadSanitizer) GTEST_SKIP() << "it defers signal handlers";
  const auto [signal, code] = GetParam();
  const Scratch scratch;
  std::thread sender([&scratch, number = signal] {
    for (int i = 0; i < 1000 && !std::filesystem::exists(scratch / "pid.ready"); ++i) {
      std::this_thread::sleep_for(10ms);
    }
    kill(getpid(), number);
  });
  const Ran ran = run(scratch, "ending", "wait_for_signal " + (scratch / "pid").string());
  sender.join();
  EXPECT_EQ(ran.result.exit_code, code);
  EXPECT_EQ(ran.result.signal, 0);
}

INSTANTIATE_TEST_SUITE_P(Signals, Forwarded,
                         testing::Values(std::pair{SIGTERM, 33}, std::pair{SIGINT, 34},
                                         std::pair{SIGUSR1, 35}, std::pair{SIGUSR2, 36},
                                         std::pair{SIGALRM, 37}, std::pair{SIGHUP, 38},
                                         std::pair{SIGVTALRM, 39}, std::pair{SIGRTMIN + 3, 40}));

TEST(Launch, RestoresTheSignalHandlersOfTheCaller) {
  struct sigaction before {};
  sigaction(SIGTERM, nullptr, &before);
  exit_code_of({"true"});
  struct sigaction after {};
  sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

}  // namespace
}  // namespace mansard::collector
