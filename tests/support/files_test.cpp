// SPDX-License-Identifier: Apache-2.0
#include "support/files.h"

#include <fstream>
#include <stdexcept>
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace mansard {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  static void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  static std::string read(const fs::path& file) {
    std::string text;
    std::ifstream stream(file);
    std::getline(stream, text);
    return text;
  }
  static fs::perms permissions(const fs::path& file) { return fs::status(file).permissions(); }

  // All names in the folder.
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const test::Scratch scratch_;
  const fs::path folder_ = scratch_.folder();
};

TEST_F(Files, AnOutputIsReplacedWhenItIsCompleteAndKeepsItsPermissions) {
  const fs::path target = folder_ / "target";
  const fs::path link = folder_ / "link";
  write(target, "old");
  fs::permissions(target, fs::perms(0640));
  fs::create_symlink("target", link);
  OutputFile output(link);
  write(output.file(), "new");
  EXPECT_EQ(permissions(output.file()), fs::perms(0640)) << "from the start";
  EXPECT_EQ(read(target), "old");
  output.finish();
  EXPECT_EQ(read(target), "new");
  EXPECT_EQ(permissions(target), fs::perms(0640));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(count(), 2u);
}

TEST_F(Files, AnUnfinishedOutputLeavesNothing) {
  for (const OutputKind kind : {OutputKind::text, OutputKind::database}) {
    const OutputFile output(folder_ / "output", kind);
    write(output.file(), "half");
    if (kind == OutputKind::database) write(output.file().string() + "-wal", "log");
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(Files, ANewDatabaseIsReadableOnlyByItsOwnerAndHasNoOldLog) {
  const fs::path file = folder_ / "run.sqlite";
  write(file.string() + "-wal", "log of a database that is gone");
  OutputFile output(file, OutputKind::database);
  write(output.file(), "pages");
  write(output.file().string() + "-wal", "");
  output.finish();
  EXPECT_EQ(read(file), "pages");
  EXPECT_EQ(permissions(file), fs::perms(0600));
  EXPECT_EQ(count(), 1u);
}

TEST_F(Files, AStreamIsWrittenDirectly) {
  const OutputFile output("/dev/null");
  EXPECT_EQ(output.file(), "/dev/null");
  EXPECT_FALSE(is_stream(folder_));
}

TEST_F(Files, LinksAreFollowedToATargetThatNeedNotExist) {
  fs::create_symlink("b", folder_ / "a");
  EXPECT_EQ(follow_links(folder_ / "a"), folder_ / "b");
  fs::create_symlink("a", folder_ / "b");
  EXPECT_THROW(follow_links(folder_ / "a"), std::runtime_error);
}

TEST_F(Files, AnIdentityIsIndependentOfTheFileName) {
  const fs::path file = folder_ / "file";
  write(file, "");
  fs::create_hard_link(file, folder_ / "same");
  EXPECT_EQ(file_identity(file), file_identity(folder_ / "same"));
  write(folder_ / "other", "");
  EXPECT_NE(file_identity(file), file_identity(folder_ / "other"));
  EXPECT_FALSE(file_identity(folder_ / "missing"));
  EXPECT_FALSE(file_identity(-1));
}

}  // namespace
}  // namespace mansard
