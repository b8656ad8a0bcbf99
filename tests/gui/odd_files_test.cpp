// SPDX-License-Identifier: Apache-2.0
// Invalid and unusual files: each opens, or gives an error with the file and the problem.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <chrono>
#include <fstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "collector/store/profile_writer.h"
#include "collector/store/sqlite.h"
#include "gui/models/run_document.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

using State = RunDocument::State;
namespace fs = std::filesystem;

class OddFiles : public ::testing::Test {
 protected:
  fs::path path(const std::string& name) const {
    return fs::path(folder_.path().toStdString()) / name;
  }
  fs::path training() const {
    const fs::path file = path("run.sqlite");
    testing::write_training_run(file);
    return file;
  }

  void open(const fs::path& file) {
    document_.open(QString::fromStdString(file.string()), {});
    wait();
  }
  void wait() {
    QSignalSpy changes(&document_, &RunDocument::changed);
    while (document_.state() == State::loading || document_.reloading()) {
      ASSERT_TRUE(changes.wait(10000));
    }
  }

  // Expects an error that contains the file's name and `why`.
  void expect_refused(const fs::path& file, const char* why) {
    open(file);
    EXPECT_EQ(document_.state(), State::failed) << file;
    EXPECT_EQ(document_.run(), nullptr);
    const std::string said = document_.error().toStdString();
    EXPECT_NE(said.find(file.filename().string()), std::string::npos) << said;
    EXPECT_NE(said.find(why), std::string::npos) << said;
  }
  std::shared_ptr<const OpenRun> opened(const fs::path& file) {
    open(file);
    EXPECT_EQ(document_.state(), State::ready) << document_.error().toStdString();
    return document_.open_run();
  }

  RunDocument document_;

 private:
  QTemporaryDir folder_;
};

void execute(const fs::path& file, const std::string& sql) {
  store::Database(file.string(), store::Database::Access::read_write).exec(sql);
}

TEST_F(OddFiles, Truncated) {
  const fs::path whole = training();
  const auto bytes = static_cast<double>(fs::file_size(whole));
  for (const double share : {0.001, 0.01, 0.1, 0.5, 0.9, 0.999}) {
    const fs::path cut = path("cut.sqlite");
    fs::copy_file(whole, cut, fs::copy_options::overwrite_existing);
    fs::resize_file(cut, static_cast<std::uintmax_t>(share * bytes));
    expect_refused(cut, "is damaged or was truncated");
  }
}

// Damages a page in the kernel table, found only while reading it.
TEST_F(OddFiles, OverwrittenInside) {
  const fs::path file = training();
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  for (std::uintmax_t at = 65536; at + 4096 < fs::file_size(file); at += 65536) {
    stream.seekp(static_cast<std::streamoff>(at));
    stream << std::string(4096, '\xa5');
  }
  stream.close();
  expect_refused(file, "is damaged or was truncated");
}

TEST_F(OddFiles, LockedByAProgramThatWrites) {
  const fs::path file = training();
  store::Database other(file.string(), store::Database::Access::read_write);
  other.exec("BEGIN EXCLUSIVE");
  const auto start = std::chrono::steady_clock::now();
  expect_refused(file, "is locked");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  other.exec("ROLLBACK");
  document_.reload();
  wait();
  EXPECT_EQ(document_.state(), State::ready);
}

TEST_F(OddFiles, OfOtherPrograms) {
  std::ofstream(path("notes.txt")) << "no profile, but some lines of text\n";
  expect_refused(path("notes.txt"), "is not a SQLite database");
  std::ofstream(path("empty.sqlite")).close();
  expect_refused(path("empty.sqlite"), "is empty");
  std::ofstream(path("recipes.sqlite")).close();
  execute(path("recipes.sqlite"), "CREATE TABLE recipes (name TEXT)");
  expect_refused(path("recipes.sqlite"), "but not a profile");
  fs::create_directory(path("folder.sqlite"));
  expect_refused(path("folder.sqlite"), "is not a file");
  fs::create_directory(path("folder.json"));
  expect_refused(path("folder.json"), "folder.json");
  std::ofstream(path("broken.json")) << "{\"schema_version\": ";
  expect_refused(path("broken.json"), "broken.json");
  expect_refused(path("none.sqlite"), "no such file");
}

TEST_F(OddFiles, RemovedBeforeAReload) {
  const fs::path file = training();
  const auto run = opened(file);
  ASSERT_NE(run, nullptr);
  fs::remove(file);
  document_.reload();
  wait();
  EXPECT_EQ(document_.open_run(), run) << "keeps what was read";
  EXPECT_TRUE(document_.error().contains(QStringLiteral("no such file")));
  training();
  document_.reload();
  wait();
  EXPECT_NE(document_.open_run(), run);
  EXPECT_TRUE(document_.error().isEmpty());
}

TEST_F(OddFiles, NotAllowed) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const fs::path file = training();
  fs::permissions(file, fs::perms::none);
  expect_refused(file, "cannot be read; check its permissions");
}

TEST_F(OddFiles, WithoutRangesCallsAndCounters) {
  const fs::path file = training();
  const std::size_t kernels = opened(file)->launches.size();
  for (const char* table :
       {"NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_RUNTIME", "MANSARD_WORK", "MANSARD_WORK_BYTES"}) {
    execute(file, std::string("DELETE FROM ") + table);
    const auto run = opened(file);
    ASSERT_NE(run, nullptr) << table;
    EXPECT_EQ(run->launches.size(), kernels);
    EXPECT_FALSE(run->timeline.empty());
    execute(file, std::string("DROP TABLE ") + table);  // as in files of older versions
    ASSERT_NE(opened(file), nullptr) << table;
  }
}

TEST_F(OddFiles, WithOneKernelOrNone) {
  const fs::path file = training();
  execute(file, "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 1");
  const auto one = opened(file);
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->launches.size(), 1u);
  EXPECT_FALSE(one->timeline.empty());
  execute(file, "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL");
  const auto none = opened(file);  // only the annotated ranges are left
  ASSERT_NE(none, nullptr);
  EXPECT_TRUE(none->analysis.profile.kernels.empty());
  execute(file, "DELETE FROM NVTX_EVENTS; DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME");
  const auto nothing = opened(file);
  ASSERT_NE(nothing, nullptr);
  EXPECT_EQ(nothing->launches.size(), 0u);
  EXPECT_TRUE(nothing->timeline.empty());
  EXPECT_TRUE(nothing->analysis.rows.empty());
}

// Annotated host work besides kernels: the indices of its ranges must not be taken for kernels.
TEST_F(OddFiles, WithHostWorkBesideKernels) {
  const fs::path file = training();
  execute(file, "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE rowid > 100");
  execute(file, "DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE rowid > 100");
  const auto run = opened(file);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->launches.size(), 100u);
  std::size_t of_host = 0;
  for (const analysis::KernelRow& row : run->analysis.rows)
    of_host += row.target == kernels::Target::host ? 1 : 0;
  EXPECT_GT(of_host, 0u);
  for (const std::uint32_t row : run->launches.row) {
    ASSERT_LT(row, run->analysis.rows.size());
    EXPECT_EQ(run->analysis.rows[row].target, kernels::Target::cuda);
  }
}

TEST_F(OddFiles, StillRecorded) {
  const fs::path file = path("live.sqlite");
  store::ProfileWriter writer(file, {});
  store::KernelRecord kernel;
  kernel.demangled_name = writer.intern("my_kernel");
  const auto record = [&](int count) {
    for (int i = 0; i < count; ++i) {
      kernel.start_ns += 1000;
      kernel.end_ns = kernel.start_ns + 500;
      writer.add(kernel);
    }
    writer.commit();
  };
  record(3);
  const auto early = opened(file);
  ASSERT_NE(early, nullptr);
  EXPECT_EQ(early->analysis.profile.session.state, store::RecordingState::recording);
  EXPECT_EQ(early->launches.size(), 3u);
  record(2);
  document_.reload();
  EXPECT_EQ(document_.open_run(), early);
  wait();
  EXPECT_EQ(document_.open_run()->launches.size(), 5u);
  writer.finish(store::RecordingState::complete);
  document_.reload();
  wait();
  EXPECT_EQ(document_.run()->profile.session.state, store::RecordingState::complete);
}

}  // namespace
}  // namespace mansard::gui
