// SPDX-License-Identifier: Apache-2.0
#include "collector/store/open_profile.h"

#include <array>
#include <fstream>
#include <sqlite3.h>
#include <stdlib.h>
#include <string>

#include "collector/store/close_database.h"
#include "collector/store/file_format.h"

namespace mansard {
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
  // With a log the file may be behind; recovery puts that right.
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
    refuse(file, why_not_a_recording(file, recognise_format(file)) + ".");
  }
  if (is_cut_short(file, head)) {
    refuse(file, "is damaged or was truncated: it is shorter than its header says. Copy it again.");
  }
}

// A URI needs these escaped; everything else may stand as it is.
std::string immutable_uri(const fs::path& file) {
  std::string uri = "file:";
  for (const char c : file.string()) {
    if (c == '%' || c == '?' || c == '#') {
      constexpr char kHex[] = "0123456789ABCDEF";
      uri += {'%', kHex[c >> 4], kHex[c & 15]};
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

// Somebody waits for the answer, in front of a window perhaps: another reader's checkpoint takes
// less than this, and who has the lock for longer keeps it.
constexpr int kLockTimeout_ms = 1000;

Database probe(const std::string& name) {
  Database database(name, Database::Access::read_only);
  database.set_lock_timeout(kLockTimeout_ms);
  // Opening reads nothing yet; this meets a missing log, a locked or a damaged file.
  Statement any = database.prepare("SELECT count(*) FROM sqlite_master");
  any.step();
  return database;
}

// The log beside a file in a read-only folder holds rows that an immutable open would not see.
OpenedProfile open_copy(const fs::path& file, const fs::path& log) {
  std::string name = (fs::temp_directory_path() / "mansard-read-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    refuse(file, "cannot be opened where it lies, and no temporary copy can be made in " +
                     fs::temp_directory_path().string() + "; set TMPDIR");
  }
  const std::shared_ptr<const fs::path> copy(new fs::path(name), [](const fs::path* folder) {
    std::error_code ignored;
    fs::remove_all(*folder, ignored);
    delete folder;
  });
  fs::copy_file(file, *copy / "copy.sqlite");
  fs::copy_file(log, *copy / "copy.sqlite-wal");
  const std::string copied = (*copy / "copy.sqlite").string();
  return {Database(copied, Database::Access::read_write), copied, false, copy};
}

OpenedProfile open_where_it_lies(const fs::path& file) {
  const fs::path log = file.string() + "-wal";
  try {
    return {probe(file.string()), file.string(), false, nullptr};
  } catch (const SqliteError& error) {
    const bool needs_folder = error.code == SQLITE_CANTOPEN || error.code == SQLITE_READONLY;
    if (!needs_folder) throw;
  }
  if (has_log(log)) return open_copy(file, log);
  const std::string name = immutable_uri(file);
  return {probe(name), name, false, nullptr};
}

}  // namespace

OpenedProfile open_profile(const fs::path& given) {
  require_sqlite_file(given);
  const fs::path file = fs::absolute(given);
  {
    OpenedProfile opened = open_where_it_lies(file);
    if (!is_abandoned(opened.database)) return opened;
  }  // closed, or the log could not be folded in
  try {
    close_if_abandoned(file);
  } catch (const SqliteError& error) {
    if (error.code == SQLITE_CORRUPT || error.code == SQLITE_NOTADB) throw;
  }
  OpenedProfile opened = open_where_it_lies(file);
  opened.abandoned = is_abandoned(opened.database);
  return opened;
}

}  // namespace mansard
