// SPDX-License-Identifier: Apache-2.0
// Files that cannot be read: each error names the problem.
#include <fstream>

#include <gtest/gtest.h>

#include "collector/store/sqlite.h"
#include "tests/collector/sample.h"
#include "tests/support/scratch.h"

namespace mansard::store {
namespace {

using test::Scratch;

std::string error_of(const std::filesystem::path& file) {
  try {
    load_profile(file);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

#define EXPECT_SAYS(message, part) \
  EXPECT_NE((message).find(part), std::string::npos) << "said: " << (message)

TEST(Damaged, Missing) {
  const Scratch scratch;
  const std::string said = error_of(scratch / "none.sqlite");
  EXPECT_SAYS(said, "none.sqlite");
  EXPECT_SAYS(said, "no such file");
  EXPECT_FALSE(std::filesystem::exists(scratch / "none.sqlite"));
}

TEST(Damaged, Folder) {
  const Scratch scratch;
  EXPECT_SAYS(error_of(scratch.folder()), "is not a file");
}

TEST(Damaged, Empty) {
  const Scratch scratch;
  std::ofstream(scratch / "a.sqlite").close();
  EXPECT_SAYS(error_of(scratch / "a.sqlite"), "is empty");
}

TEST(Damaged, NotSqlite) {
  const Scratch scratch;
  std::ofstream(scratch / "a.sqlite") << "some words, and more of them than a header has bytes";
  EXPECT_SAYS(error_of(scratch / "a.sqlite"), "is not a SQLite database");
}

// Each error names the command that converts the file to a profile.
TEST(Damaged, FilesOfOtherTools) {
  struct Case {
    const char* name;
    std::string content;
    const char* said;
  };
  const std::vector<Case> cases = {
      {"trace.json", "\xef\xbb\xbf {\"schemaVersion\": 1, \"traceEvents\": []}", "mansard import"},
      {"array.json", "[{\"ph\": \"X\"}]", "mansard import"},
      {"model.json", "{\"devices\": []}", "neither a profile nor a trace"},
      {"trace.json.gz", "\x1f\x8b\x08", "mansard import"},
      {"counters.csv", "output\n\"ID\",\"Process ID\",\"Process Name\"\n",
       "mansard import run.sqlite"},
      {"run.nsys-rep", "NVIDIA's own format", "nsys export --type sqlite"},
      {"old.qdrep", "NVIDIA's own format", "nsys export --type sqlite"},
      {"run.ncu-rep", std::string("NVR\0", 4), "ncu --import"},
      {"renamed", std::string("NVR\0...", 7), "ncu --import"},
  };
  for (const Case& c : cases) {
    const Scratch scratch;
    std::ofstream(scratch / c.name, std::ios::binary) << c.content;
    const std::string said = error_of(scratch / c.name);
    EXPECT_SAYS(said, c.said) << c.name;
    EXPECT_SAYS(said, c.name);
  }
}

TEST(Damaged, ShorterThanAHeader) {
  const Scratch scratch;
  std::ofstream(scratch / "a.sqlite") << "SQLite";
  EXPECT_SAYS(error_of(scratch / "a.sqlite"), "is not a SQLite database");
}

TEST(Damaged, NoProfileInIt) {
  const Scratch scratch;
  std::ofstream(scratch / "a.sqlite").close();
  Database((scratch / "a.sqlite").string(), Database::Access::read_write)
      .exec("CREATE TABLE recipes (name TEXT)");
  EXPECT_SAYS(error_of(scratch / "a.sqlite"), "but not a profile");
}

TEST(Damaged, TruncatedAnywhere) {
  const Scratch scratch;
  test::write_sample(scratch / "whole.sqlite");
  const auto size = std::filesystem::file_size(scratch / "whole.sqlite");
  for (const double fraction : {0.02, 0.3, 0.6, 0.99}) {
    const std::filesystem::path cut = scratch / "cut.sqlite";
    std::filesystem::copy_file(scratch / "whole.sqlite", cut,
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(cut, static_cast<std::uintmax_t>(fraction * double(size)));
    EXPECT_SAYS(error_of(cut), "is damaged or was truncated") << fraction;
  }
}

TEST(Damaged, OverwrittenInside) {
  const Scratch scratch;
  test::write_sample(scratch / "a.sqlite");
  std::fstream file(scratch / "a.sqlite", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100);  // the root page's own header
  for (int i = 0; i < 4000; ++i) file.put('\xa5');
  file.close();
  EXPECT_SAYS(error_of(scratch / "a.sqlite"), "is damaged or was truncated");
}

TEST(Damaged, WrittenByANewerMansard) {
  const Scratch scratch;
  test::write_sample(scratch / "a.sqlite");
  Database((scratch / "a.sqlite").string(), Database::Access::read_write)
      .exec("UPDATE MANSARD_SESSION SET value = '999' WHERE name = 'schemaVersion'");
  const std::string said = error_of(scratch / "a.sqlite");
  EXPECT_SAYS(said, "a.sqlite");
  EXPECT_SAYS(said, "newer Mansard (9.8.7");
}

}  // namespace
}  // namespace mansard::store
