// SPDX-License-Identifier: Apache-2.0
// However a program ends, its exit status is unchanged and the profile is readable.
#include <chrono>
#include <set>

#include <gtest/gtest.h>

#include "collector/store/sqlite.h"
#include "tests/collector/run_program.h"
#include "tests/support/sanitizers.h"

namespace mansard::collector {
namespace {

using namespace test;

TEST(Endings, ExitCodePassesThrough) {
  const Scratch scratch;
  const Ran ran = run(scratch, "ending", "exit 42");
  EXPECT_EQ(ran.result.exit_code, 42);
  EXPECT_EQ(ran.result.signal, 0);
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(p.session.state, store::RecordingState::complete);
  EXPECT_EQ(count(p, "r"), 10u);
}

TEST(Endings, QuickExitIsANormalEnd) {
  const Scratch scratch;
  EXPECT_EQ(run(scratch, "ending", "quick_exit").result.exit_code, 5);
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(p.session.state, store::RecordingState::complete);
  EXPECT_EQ(count(p, "r"), 10u);
}

TEST(Endings, ProgramWithoutEventsLeavesNoFile) {
  const Scratch scratch;
  const Ran ran = run(scratch, "ending", "nothing");
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_TRUE(ran.result.recorded.empty());
  EXPECT_FALSE(std::filesystem::exists(scratch / "run.sqlite"));
}

TEST(Endings, UnderscoreExitLosesAtMostTheLastSecond) {
  const Scratch scratch;
  EXPECT_EQ(run(scratch, "ending", "_exit").result.exit_code, 4);
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(p.session.state, store::RecordingState::interrupted);
  EXPECT_EQ(count(p, "early"), 10u);
}

// A worker that runs for 0.15 s, less than the period of the writer. On a machine busy with other
// tests, the first steps may also be late.
TEST(Endings, UnderscoreExitOfAShortProcessLosesLittle) {
  std::size_t most = 0;
  for (int attempt = 0; attempt < 3 && most == 0; ++attempt) {
    const Scratch scratch;
    const Ran ran = run(scratch, "ending", "_exit_soon");
    EXPECT_EQ(ran.result.exit_code, 4);
    if (!ran.result.recorded.empty())
      most = count(store::load_profile(scratch / "run.sqlite"), "r");
  }
  EXPECT_EQ(most, 10u);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A program that closes descriptors it does not own. Whether or not their numbers are reused, its
// files are not modified, it exits without delay, and events recorded before are kept.
TEST(Endings, DescriptorsClosedByTheProgramAreNotWrittenTo) {
  if (kHasThreadSanitizer) GTEST_SKIP() << "it reports that the program closes our descriptors";
  for (const bool reuses : {true, false}) {
    const Scratch scratch;
    const auto start = std::chrono::steady_clock::now();
    const Ran ran = run(scratch, "ending",
                        "close_descriptors '" + (reuses ? scratch.folder().string() : "") + "'");
    EXPECT_EQ(ran.result.exit_code, 9);
    EXPECT_LT(seconds_since(start), 2.5 + 2);
    for (int i = 0; reuses && i < 8; ++i) {
      EXPECT_EQ(contents(scratch / ("own" + std::to_string(i))), "own");
    }
    EXPECT_EQ(ran.err,
              "mansard: recording stopped: the program closed the profile's file descriptors; "
              "events written before that are kept\n");
    EXPECT_EQ(count(store::load_profile(scratch / "run.sqlite"), "early"), 10u);
  }
}

TEST(Endings, ProcessEndsWithTheLastProgramThread) {
  if (kHasThreadSanitizer) GTEST_SKIP() << "its own thread keeps the process alive";
  const Scratch scratch;
  const auto start = std::chrono::steady_clock::now();
  const Ran ran = run(scratch, "ending", "pthread_exit");
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_LT(seconds_since(start), 0.5 + 2);
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(p.session.state, store::RecordingState::complete);
  EXPECT_EQ(count(p, "of a thread"), 3u);
}

TEST(Endings, RunningThreadDoesNotDelayExit) {
  if (!kHasFullSpeed) GTEST_SKIP() << "the bound on time is that of an optimized build";
  const Scratch scratch;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run(scratch, "ending", "detached").result.exit_code, 7);
  EXPECT_LT(seconds_since(start), 0.5 + 2.5);
  EXPECT_EQ(count(store::load_profile(scratch / "run.sqlite"), "r"), 10u);
}

TEST(Endings, ManyOpenRangesCostNoTime) {
  if (!kHasFullSpeed) GTEST_SKIP() << "the bound on time is that of an optimized build";
  const Scratch scratch;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run(scratch, "ending", "never_popped").result.exit_code, 8);
  EXPECT_LT(seconds_since(start), 2.5);
}

class KilledBySignal : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(KilledBySignal, KeepsEventsOlderThanASecond) {
  const auto [how, signal] = GetParam();
  const Scratch scratch;
  const Ran ran = run(scratch, "ending", how);
  EXPECT_EQ(ran.result.signal, signal);
  EXPECT_EQ(ran.result.exit_code, 128 + signal);
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  EXPECT_EQ(p.session.state, store::RecordingState::interrupted);
  EXPECT_EQ(count(p, "early"), 10u);
}

INSTANTIATE_TEST_SUITE_P(Endings, KilledBySignal,
                         testing::Values(std::pair{"abort", SIGABRT},
                                         std::pair{"sigterm", SIGTERM}));

TEST(Endings, OpenRangeIsKeptWithoutItsEnd) {
  const Scratch scratch;
  run(scratch, "ending", "open");
  const store::Profile p = store::load_profile(scratch / "run.sqlite");
  ASSERT_NE(find(p, "left open"), nullptr);
  EXPECT_EQ(find(p, "left open")->end_ns, -1);
  EXPECT_EQ(count(p, "r"), 2u);
}

TEST(Endings, ChangingDirectoryDoesNotMoveTheFile) {
  const Scratch scratch;
  run(scratch, "ending", "chdir");
  EXPECT_EQ(store::load_profile(scratch / "run.sqlite").nvtx.size(), 2u);
}

// Without a driver, CUPTI cannot start; ranges are still recorded.
TEST(Endings, DriverInjectionWithOrWithoutADriver) {
  const Scratch scratch;
  EXPECT_EQ(run(scratch, "ending", "cuda_init").result.exit_code, 0);
  EXPECT_EQ(count(store::load_profile(scratch / "run.sqlite"), "r"), 10u);
}

// The profiles of parent and child, whichever took the plain name.
std::vector<store::Profile> both(const Ran& ran) {
  std::vector<store::Profile> profiles;
  for (const auto& file : ran.result.recorded) profiles.push_back(store::load_profile(file));
  return profiles;
}

// The recorder of a forked child starts its writer thread there.
constexpr const char* kThreadsOfAChild = "ThreadSanitizer supports no threads in a forked child";

TEST(Fork, ChildHasItsOwnFile) {
  if (kHasThreadSanitizer) GTEST_SKIP() << kThreadsOfAChild;
  const Scratch scratch;
  const Ran ran = run(scratch, "ending", "fork");
  EXPECT_EQ(ran.result.exit_code, 6);
  const std::vector<store::Profile> p = both(ran);
  ASSERT_EQ(p.size(), 2u);
  std::set<std::int64_t> pids;
  for (const store::Profile& profile : p) {
    EXPECT_EQ(profile.session.state, store::RecordingState::complete);
    pids.insert(profile.session.pid);
    const bool child = count(profile, "child") > 0;
    EXPECT_EQ(count(profile, "child"), child ? 5u : 0u);
    EXPECT_EQ(count(profile, "parent before"), child ? 0u : 3u);
    EXPECT_EQ(count(profile, "across the fork"), child ? 0u : 1u);
    EXPECT_EQ(count(profile, "parent after"), child ? 0u : 2u);
    for (const store::NvtxRecord& r : profile.nvtx)
      EXPECT_EQ(r.global_tid >> 24, profile.session.pid);
  }
  EXPECT_EQ(pids.size(), 2u);
}

TEST(Fork, ExecutedChildHasItsOwnFile) {
  if (kHasThreadSanitizer) GTEST_SKIP() << kThreadsOfAChild;
  const Scratch scratch;
  const Ran ran = run(scratch, "ending", "forkexec");
  EXPECT_EQ(ran.result.exit_code, 6);
  const std::vector<store::Profile> p = both(ran);
  ASSERT_EQ(p.size(), 2u);
  EXPECT_EQ(count(p[0], "r") + count(p[1], "r"), 10u);
  EXPECT_EQ(count(p[0], "parent before") + count(p[1], "parent before"), 3u);
}

TEST(Fork, ManyChildrenOfABusyProgram) {
  if (kHasThreadSanitizer) GTEST_SKIP() << kThreadsOfAChild;
  if (kHasAddressSanitizer) {
    GTEST_SKIP() << "the allocator of g++ 12's AddressSanitizer can itself hang in such a child";
  }
  const Scratch scratch;
  const Ran ran = run(scratch, "ending", "forkfire");
  EXPECT_EQ(ran.result.exit_code, 0);
  EXPECT_EQ(ran.result.recorded.size(), 21u) << ran.err;
  int children = 0;
  for (const auto& file : ran.result.recorded) {
    const store::Profile p = store::load_profile(file);
    if (count(p, "busy") > 0) continue;
    EXPECT_EQ(count(p, "child"), 4u);
    ++children;
  }
  EXPECT_EQ(children, 20);
}

}  // namespace
}  // namespace mansard::collector
