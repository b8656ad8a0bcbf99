// SPDX-License-Identifier: Apache-2.0
// Tests profiles whose process is alive, dead or not visible, in writable and read-only folders.
#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "collector/store/close_database.h"
#include "collector/store/open_profile.h"
#include "collector/store/profile_writer.h"
#include "collector/store/recording_summary.h"
#include "collector/store/sqlite.h"
#include "support/process.h"
#include "tests/collector/sample.h"
#include "tests/support/scratch.h"

namespace mansard::store {
namespace {

using test::Scratch;

// Writes `ranges` ranges in a child that then dies without closing the file.
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
  writer.add(test::sample_range());  // the reader does not block the writer
  writer.finish(RecordingState::complete);
  EXPECT_EQ(load_profile(scratch / "a.sqlite").nvtx.size(), 2u);
}

std::int64_t count_ranges(Database& database) {
  Statement count = database.prepare("SELECT count(*) FROM NVTX_EVENTS");
  EXPECT_TRUE(count.step());
  return count.integer(0);
}

// Writes far more pages than trigger a checkpoint.
void write_much(ProfileWriter& writer) {
  for (int i = 0; i < 400'000; ++i) writer.add(test::sample_range());
  writer.commit();
}

TEST(RecordingState, ReaderSnapshotIsStableAndDoesNotBlockTheWriter) {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "a.sqlite";
  const std::filesystem::path log = scratch / "a.sqlite-wal";
  auto writer = std::make_unique<ProfileWriter>(file, test::sample_session());
  write_much(*writer);
  EXPECT_LT(std::filesystem::file_size(log), 2 * 1000 * 16384u)
      << "checkpoint moves pages into the file";
  EXPECT_GT(std::filesystem::file_size(file), 1000 * 16384u);
  {
    OpenedProfile opened = open_profile(file);
    EXPECT_EQ(count_ranges(opened.database), 400'000);
    const auto size = std::filesystem::file_size(file);
    write_much(*writer);
    writer->finish(RecordingState::complete);
    writer.reset();
    EXPECT_EQ(std::filesystem::file_size(file), size) << "no checkpoint while it is read";
    EXPECT_EQ(count_ranges(opened.database), 400'000);
    Database second(opened.name, Database::Access::read_only);
    EXPECT_EQ(count_ranges(second), 800'000) << "opened later, sees what was committed later";
    EXPECT_EQ(repair_profile(file), Repair::being_read);
    EXPECT_TRUE(is_recording(opened.database));
  }
  EXPECT_EQ(summarize_profile(file).ranges, 800'000);
  EXPECT_EQ(repair_profile(file), Repair::folded);
  EXPECT_FALSE(std::filesystem::exists(log));
  EXPECT_EQ(summarize_profile(file).ranges, 800'000);
}

// Truncating a mapped file would kill the process with SIGBUS.
TEST(RecordingState, NoFileOfARecordingIsMapped) {
  const Scratch scratch;
  ProfileWriter writer(scratch / "a.sqlite", test::sample_session());
  write_much(writer);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    EXPECT_EQ(line.find(scratch.folder().string()), line.npos) << line;
  }
  EXPECT_FALSE(std::filesystem::exists(scratch / "a.sqlite-shm"));
  // The file is then damaged, which is expected after truncation.
  std::filesystem::resize_file(scratch / "a.sqlite-wal", 0);
  try {
    write_much(writer);
    writer.finish(RecordingState::complete);
    load_profile(scratch / "a.sqlite");
  } catch (const std::runtime_error&) {
  }
}

TEST(RecordingState, LinkAlsoFindsTheLog) {
  const Scratch scratch;
  record_and_die(scratch / "a.sqlite", 100);
  std::filesystem::create_directory(scratch / "links");
  std::filesystem::create_symlink(scratch / "a.sqlite", scratch / "links/b.sqlite");
  EXPECT_EQ(load_profile(scratch / "links/b.sqlite").nvtx.size(), 100u);
}

TEST(RecordingState, PipeInPlaceOfTheLogIsRejected) {
  const Scratch scratch;
  record_and_die(scratch / "a.sqlite", 100);
  for (const char* suffix : {"-wal", "-journal"}) {
    const std::filesystem::path pipe = scratch / ("a.sqlite" + std::string(suffix));
    std::filesystem::remove(pipe);
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THROW(load_profile(scratch / "a.sqlite"), std::runtime_error);
    std::filesystem::remove(pipe);
  }
}

TEST(RecordingState, DeadProcessIsInterruptedAndItsLogRecovered) {
  const Scratch scratch;
  record_and_die(scratch / "a.sqlite", 100);
  ASSERT_TRUE(std::filesystem::exists(scratch / "a.sqlite-wal"));
  const Profile p = load_profile(scratch / "a.sqlite");
  EXPECT_EQ(p.session.state, RecordingState::interrupted);
  EXPECT_EQ(p.nvtx.size(), 100u);
}

// Name and content of each file.
std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    all[entry.path().filename()] = {std::istreambuf_iterator<char>(stream), {}};
  }
  return all;
}

TEST(RecordingState, ReadingChangesNoFile) {
  const Scratch scratch;
  record_and_die(scratch / "a.sqlite", 100);
  const auto before = contents(scratch.folder());
  ASSERT_TRUE(before.contains("a.sqlite-wal"));
  EXPECT_EQ(load_profile(scratch / "a.sqlite").nvtx.size(), 100u);
  EXPECT_EQ(summarize_profile(scratch / "a.sqlite").ranges, 100);
  EXPECT_EQ(contents(scratch.folder()), before);
  EXPECT_EQ(before.size(), 2u);
}

TEST(RecordingState, RepairLeavesOneFile) {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "a.sqlite";
  record_and_die(file, 100);
  EXPECT_EQ(repair_profile(file), Repair::closed);
  EXPECT_EQ(contents(scratch.folder()).size(), 1u);
  {
    Database database(file.string(), Database::Access::read_only);
    Statement row = database.prepare("SELECT state FROM MANSARD_STATE");
    ASSERT_TRUE(row.step());
    EXPECT_EQ(row.text(0), "interrupted");
  }
  EXPECT_EQ(repair_profile(file), Repair::complete);
  EXPECT_EQ(load_profile(file).nvtx.size(), 100u);
  ProfileWriter writer(scratch / "b.sqlite", test::sample_session());
  writer.add(test::sample_range());
  writer.commit();
  EXPECT_EQ(repair_profile(scratch / "b.sqlite"), Repair::being_recorded);
}

// A hostile file: a rollback journal that names a super-journal, which SQLite deletes when it
// replays the journal, and a trigger on the table that repair changes.
TEST(RecordingState, HostileJournalAndTriggerAreIgnored) {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "a.sqlite";
  record_and_die(file, 100);
  {
    Database database(file.string(), Database::Access::read_write);
    database.exec(
        "CREATE TRIGGER t AFTER UPDATE ON MANSARD_STATE BEGIN DELETE FROM NVTX_EVENTS; END;"
        "CREATE VIEW CUPTI_ACTIVITY_KIND_OVERHEAD_ AS SELECT 1");
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  EXPECT_EQ(repair_profile(file), Repair::closed);
  EXPECT_EQ(load_profile(file).nvtx.size(), 100u) << "the trigger did not run";

  const std::filesystem::path precious = scratch / "precious";
  std::ofstream(precious) << "of the reader";
  const std::string name = precious.string();
  // A journal's header, no pages, and its end: super-journal's name, length, checksum, magic.
  // https://www.sqlite.org/fileformat.html#the_rollback_journal
  std::string journal("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7\0\0\0\0\0\0\0\0", 16);
  const auto append = [&](std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) journal += static_cast<char>(value >> shift);
  };
  append(static_cast<std::uint32_t>(std::filesystem::file_size(file) / 4096));
  append(512);
  append(4096);
  journal.resize(512, '\0');
  append(0x40000000 / 4096 + 1);
  journal += name;
  append(static_cast<std::uint32_t>(name.size()));
  std::uint32_t sum = 0;
  for (const char c : name) sum += static_cast<std::uint32_t>(c);
  append(sum);
  journal += std::string("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
  std::ofstream(file.string() + "-journal", std::ios::binary) << journal;
  const auto before = contents(scratch.folder());
  for (const auto& open : {std::function<void()>([&] { load_profile(file); }),
                           std::function<void()>([&] { repair_profile(file); })}) {
    try {
      open();
      ADD_FAILURE() << "a file in the middle of a change was read";
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("of an interrupted change"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_EQ(contents(scratch.folder()), before);
}

TEST(RecordingState, ReusedPidIsDetected) {
  const Scratch scratch;
  // Start times are in ticks of 10 ms: this process and its child must not share one. (Pids are
  // reused only after all others.)
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  record_and_die(scratch / "a.sqlite", 1);
  Database((scratch / "a.sqlite").string(), Database::Access::read_write)
      .exec("UPDATE MANSARD_STATE SET pid = " + std::to_string(getpid()));
  EXPECT_EQ(load_profile(scratch / "a.sqlite").session.state, RecordingState::interrupted);
}

TEST(RecordingState, RemoteProcessIsCheckedByHeartbeat) {
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

TEST(RecordingState, SummaryCountsAndReportsInterrupted) {
  const Scratch scratch;
  record_and_die(scratch / "a.sqlite", 3);
  const ProfileSummary summary = summarize_profile(scratch / "a.sqlite");
  EXPECT_EQ(summary.state, RecordingState::interrupted);
  EXPECT_EQ(summary.ranges, 3);
  EXPECT_EQ(summary.annotated_ranges, 3);
  EXPECT_EQ(summary.counter_readings, 0);
  EXPECT_EQ(summary.kernels, 0);
}

// Runs `body` in a child without root's permission to write anywhere; its result is the exit code.
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

TEST(RecordingProcess, DetectsLivingAndDeadProcesses) {
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
}  // namespace mansard::store
