// SPDX-License-Identifier: Apache-2.0
#include "collector/store/open_profile.h"

#include <array>
#include <fstream>
#include <sqlite3.h>
#include <stdlib.h>
#include <string>

#include "collector/store/close_database.h"

namespace mansard {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw std::runtime_error(file.string() + ": " + why);
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
  std::array<char, 16> head{};
  stream.read(head.data(), head.size());
  if (stream.gcount() == 0) {
    refuse(file, "is empty: the program ended before anything was recorded, or the disk was full");
  }
  if (std::string_view(head.data(), head.size()) != std::string_view("SQLite format 3\0", 16)) {
    refuse(file,
           "is not a SQLite database. Give a file written by `mansard profile` or by "
           "`nsys export --type sqlite`.");
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

Database probe(const std::string& name) {
  Database database(name, Database::Access::read_only);
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
  return {Database((*copy / "copy.sqlite").string(), Database::Access::read_write), false, copy};
}

bool has_log(const fs::path& log) {
  std::error_code error;
  const auto size = fs::file_size(log, error);
  return !error && size > 0;
}

OpenedProfile open_where_it_lies(const fs::path& file) {
  const fs::path log = file.string() + "-wal";
  try {
    return {probe(file.string()), false, nullptr};
  } catch (const SqliteError& error) {
    const bool needs_folder = error.code == SQLITE_CANTOPEN || error.code == SQLITE_READONLY;
    if (!needs_folder) throw;
  }
  if (has_log(log)) return open_copy(file, log);
  return {probe(immutable_uri(file)), false, nullptr};
}

}  // namespace

OpenedProfile open_profile(const fs::path& given) {
  require_sqlite_file(given);
  const fs::path file = fs::absolute(given);
  OpenedProfile opened = open_where_it_lies(file);
  if (!is_abandoned(opened.database)) return opened;
  if (opened.copy == nullptr) {
    try {
      close_if_abandoned(file);
      return open_where_it_lies(file);
    } catch (const SqliteError& error) {
      if (error.code == SQLITE_CORRUPT || error.code == SQLITE_NOTADB) throw;
    }
  }
  opened.abandoned = true;
  return opened;
}

}  // namespace mansard
