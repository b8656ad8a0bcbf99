// SPDX-License-Identifier: Apache-2.0
// Recordings whose process lives, has gone, or cannot be seen, in folders that can be written or
// not.
#include <chrono>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "collector/store/profile_writer.h"
#include "collector/store/recording_process.h"
#include "collector/store/sqlite.h"
#include "collector/store/summary.h"
#include "tests/collector/sample.h"
#include "tests/collector/scratch.h"

namespace mansard {
namespace {

using test::Scratch;

// Writes `ranges` ranges in a child that then dies without a word.
void record_and_die(const std::filesystem::path& file, int ranges) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto* writer = new ProfileWriter(file, test::sample_session());
    for (int i = 0; i < ranges; ++i) writer->add(test::sample_range());
    writer->commit();
    writer->add(test::sample_range());  // never committed
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST(RecordingState, LivingProcessIsRecording) {
  const Scratch scratch;
  ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
  writer.add(test::sample_range());
  writer.commit();
  const Profile p = load_profile(scratch / "a.sqlite");
  EXPECT_EQ(p.session.state, RecordingState::recording);
  EXPECT_EQ(p.nvtx.size(), 1u);
  writer.add(test::sample_range());  // the reader is not in the way
  writer.finish(RecordingState::complete);
  EXPECT_EQ(load_profile(scratch / "a.sqlite").nvtx.size(), 2u);
}

TEST(RecordingState, DeadProcessIsInterruptedAndItsLogRecovered) {
  const Scratch scratch;
  record_and_die(scratch / "a.sqlite", 100);
  ASSERT_TRUE(std::filesystem::exists(scratch / "a.sqlite-wal"));
  const Profile p = load_profile(scratch / "a.sqlite");
  EXPECT_EQ(p.session.state, RecordingState::interrupted);
  EXPECT_EQ(p.nvtx.size(), 100u);
  // The verdict is in the file, which is now a single one.
  EXPECT_FALSE(std::filesystem::exists(scratch / "a.sqlite-wal"));
  Database database((scratch / "a.sqlite").string(), Database::Access::read_only);
  Statement row = database.prepare("SELECT state FROM MANSARD_STATE");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.text(0), "interrupted");
}

TEST(RecordingState, PidGivenToAnotherProcessDoesNotPassForTheOld) {
  const Scratch scratch;
  // Start times are in ticks of 10 ms: this process and its child must not share one. (A pid comes
  // round again only after all others.)
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  record_and_die(scratch / "a.sqlite", 1);
  Database((scratch / "a.sqlite").string(), Database::Access::read_write)
      .exec("UPDATE MANSARD_STATE SET pid = " + std::to_string(getpid()));
  EXPECT_EQ(load_profile(scratch / "a.sqlite").session.state, RecordingState::interrupted);
}

TEST(RecordingState, ProcessElsewhereIsJudgedByItsHeartbeat) {
  const Scratch scratch;
  record_and_die(scratch / "a.sqlite", 1);
  {
    Database database((scratch / "a.sqlite").string(), Database::Access::read_write);
    database.exec("UPDATE MANSARD_STATE SET processScope = 'another machine'");
  }
  EXPECT_EQ(load_profile(scratch / "a.sqlite").session.state, RecordingState::recording);
  Database((scratch / "a.sqlite").string(), Database::Access::read_write)
      .exec("UPDATE MANSARD_STATE SET heartbeatUtcNs = heartbeatUtcNs - 600000000000");
  EXPECT_EQ(load_profile(scratch / "a.sqlite").session.state, RecordingState::interrupted);
}

TEST(RecordingState, SummaryCountsAndMarksToo) {
  const Scratch scratch;
  record_and_die(scratch / "a.sqlite", 3);
  const RecordingSummary summary = summarize_recording(scratch / "a.sqlite");
  EXPECT_EQ(summary.state, RecordingState::interrupted);
  EXPECT_EQ(summary.ranges, 3);
  EXPECT_EQ(summary.annotated_ranges, 3);
  EXPECT_EQ(summary.counter_readings, 0);
  EXPECT_EQ(summary.kernels, 0);
}

// Runs `body` in a child without root's right to write anywhere; its result is the exit code.
template <class Body>
int as_ordinary_user(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (getuid() == 0 && setuid(kNobody) != 0) _exit(99);
    int code = 98;
    try {
      code = body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void make_read_only(const Scratch& scratch) {
  using std::filesystem::perms;
  constexpr perms kRead = perms::owner_read | perms::group_read | perms::others_read;
  constexpr perms kEnter = perms::owner_exec | perms::group_exec | perms::others_exec;
  for (const auto& entry : std::filesystem::directory_iterator(scratch.folder())) {
    std::filesystem::permissions(entry.path(), kRead);
  }
  std::filesystem::permissions(scratch.folder(), kRead | kEnter);
}

TEST(RecordingState, ReadOnlyFolderWithAFinishedRecording) {
  const Scratch scratch;
  test::write_sample(scratch / "a.sqlite");
  make_read_only(scratch);
  EXPECT_EQ(as_ordinary_user([&] {
              const Profile p = load_profile(scratch / "a.sqlite");
              return p.session.state == RecordingState::complete && p.kernels.size() == 1 ? 0 : 1;
            }),
            0);
}

TEST(RecordingState, ReadOnlyFolderWithTheLogOfADeadProcess) {
  const Scratch scratch;
  record_and_die(scratch / "a.sqlite", 5);
  std::filesystem::remove(scratch / "a.sqlite-shm");  // as after copying the two files that matter
  make_read_only(scratch);
  EXPECT_EQ(as_ordinary_user([&] {
              const Profile p = load_profile(scratch / "a.sqlite");
              return p.session.state == RecordingState::interrupted && p.nvtx.size() == 5 ? 0 : 1;
            }),
            0);
}

TEST(RecordingState, ReadOnlyFolderWithAWalDatabaseWithoutLog) {
  const Scratch scratch;
  test::write_sample(scratch / "a.sqlite");
  Database((scratch / "a.sqlite").string(), Database::Access::read_write)
      .exec("PRAGMA journal_mode=WAL");
  make_read_only(scratch);
  EXPECT_EQ(as_ordinary_user(
                [&] { return load_profile(scratch / "a.sqlite").kernels.size() == 1 ? 0 : 1; }),
            0);
}

TEST(RecordingProcess, KnowsItselfAndTheDead) {
  EXPECT_EQ(is_alive(this_process()), true);
  RecordingProcess before = this_process();
  --before.start_time_ticks;
  EXPECT_EQ(is_alive(before), false);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  RecordingProcess gone = this_process();
  gone.pid = child;
  EXPECT_EQ(is_alive(gone), false);
  RecordingProcess elsewhere = this_process();
  elsewhere.scope = "elsewhere";
  EXPECT_EQ(is_alive(elsewhere), std::nullopt);
}

}  // namespace
}  // namespace mansard
