// SPDX-License-Identifier: Apache-2.0
#include "collector/store/open_profile.h"

#include <array>
#include <chrono>
#include <fstream>
#include <sqlite3.h>
#include <string>

#include "collector/store/close_database.h"
#include "collector/store/file_format.h"
#include "collector/store/reading_vfs.h"

namespace mansard::store {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw std::runtime_error(file.string() + ": " + why);
}

bool has_log(const fs::path& log) {
  std::error_code error;
  const auto size = fs::file_size(log, error);
  return !error && size > 0;
}

std::uint64_t big_endian(const char* bytes, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// SQLite itself notices missing pages, but reads the missing part of a last page as zeros.
// https://www.sqlite.org/fileformat.html#the_database_header
bool is_cut_short(const fs::path& file, const std::array<char, 100>& head) {
  const std::uint64_t page_field = big_endian(&head[16], 2);
  const std::uint64_t page_bytes = page_field == 1 ? 65536 : page_field;
  const std::uint64_t pages = big_endian(&head[28], 4);
  const bool count_is_valid = big_endian(&head[24], 4) == big_endian(&head[92], 4);
  // With a log, the file may be outdated; recovery corrects that.
  if (!count_is_valid || has_log(file.string() + "-wal")) return false;
  return fs::file_size(file) < pages * page_bytes;
}

void require_sqlite_file(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) {
    refuse(file, "no such file. `mansard profile -o FILE -- PROGRAM` records one.");
  }
  if (!fs::is_regular_file(status)) refuse(file, "is not a file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file, "cannot be read; check its permissions");
  std::array<char, 100> head{};
  stream.read(head.data(), head.size());
  if (std::string_view(head.data(), 16) != std::string_view("SQLite format 3\0", 16)) {
    refuse(file, why_not_a_profile(file, recognize_format(file)) + ".");
  }
  if (is_cut_short(file, head)) {
    refuse(file, "is damaged or was truncated: it is shorter than its header says. Copy it again.");
  }
}

// A user may be waiting. A checkpoint of another reader takes less time than this; a lock held for
// longer will not be released soon.
constexpr int kLockTimeout_ms = 1000;

Database probe(const std::string& name) {
  Database database(name, Database::Access::read_only);
  database.set_lock_timeout(kLockTimeout_ms);
  // Opening reads nothing yet. This query detects a missing log and a locked or damaged file.
  Statement any = database.prepare("SELECT count(*) FROM sqlite_master");
  any.step();
  return database;
}

// SQLite would block on a pipe until somebody writes to it.
void require_no_pipe(const fs::path& beside) {
  std::error_code error;
  const fs::file_status status = fs::status(beside, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) refuse(beside, "is not a file");
}

Reading reading_of(const fs::path& file) {
  const fs::path log = file.string() + "-wal";
  // The file format read version; 2 means a write-ahead log.
  constexpr int kReadVersion = 19;
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(kReadVersion);
  std::error_code missing;
  if (stream.get() != 2) return has_log(log) ? Reading::log : Reading::rollback;
  // An empty log may grow while the file is read, which a reader would not notice.
  return fs::exists(log, missing) ? Reading::log : Reading::alone;
}

Database open_database(const fs::path& file, const std::string& name) {
  try {
    return probe(name);
  } catch (const SqliteError& error) {
    std::error_code missing;
    const bool journal = error.code == SQLITE_CANTOPEN || error.code == SQLITE_READONLY;
    if (!journal || !fs::exists(file.string() + "-journal", missing)) throw;
    refuse(file,
           "has a rollback journal (-journal) of an interrupted change. Open it once with the "
           "program that wrote it.");
  }
}

}  // namespace

OpenedProfile open_profile(const fs::path& given) {
  require_sqlite_file(given);
  // SQLite looks for the log beside the target of a link.
  const fs::path file = fs::canonical(given);
  for (const char* suffix : {"-wal", "-journal"}) require_no_pipe(file.string() + suffix);
  constexpr std::chrono::seconds kPatience{1};
  LogLock log = share_log(file, kPatience);
  const std::string name = reading_uri(file, reading_of(file));
  OpenedProfile opened{std::move(log), open_database(file, name), name};
  opened.abandoned = is_abandoned(opened.database);
  return opened;
}

}  // namespace mansard::store
