// SPDX-License-Identifier: Apache-2.0
#include "collector/store/reading_vfs.h"

#include <sqlite3.h>
#include <stdexcept>

namespace mansard::store {
namespace {

// Read-only versions of two SQLite VFS: with and without locks.
struct Vfs {
  const char* original;
  const char* name;
};
constexpr Vfs kLocking = {"unix", "mansard-read"};
constexpr Vfs kLockless = {"unix-none", "mansard-read-lockless"};

int open_reading(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* used) {
  constexpr int kTemporary = SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TRANSIENT_DB |
                             SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_SUBJOURNAL;
  if ((flags & kTemporary) == 0) {
    flags &= ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_DELETEONCLOSE |
               SQLITE_OPEN_EXCLUSIVE);
    flags |= SQLITE_OPEN_READONLY;
  }
  // Call the original, as SQLite distinguishes the two by pAppData.
  return sqlite3_vfs_find(kLocking.original)->xOpen(vfs, name, file, flags, used);
}

int delete_nothing(sqlite3_vfs*, const char*, int) { return SQLITE_IOERR_DELETE; }

bool add_to_sqlite(const Vfs& added, sqlite3_vfs& vfs) {
  const sqlite3_vfs* original = sqlite3_vfs_find(added.original);
  if (original == nullptr) return false;
  vfs = *original;
  vfs.zName = added.name;
  vfs.pNext = nullptr;
  vfs.xOpen = open_reading;
  vfs.xDelete = delete_nothing;
  return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK;
}

void add_to_sqlite() {
  static sqlite3_vfs locking;
  static sqlite3_vfs lockless;
  static const bool added = add_to_sqlite(kLocking, locking) && add_to_sqlite(kLockless, lockless);
  if (!added) throw std::runtime_error("this SQLite lacks the VFS 'unix' and 'unix-none'");
}

// Escapes the characters that are special in a URI.
std::string escaped(const std::string& path) {
  std::string uri;
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      constexpr char kHex[] = "0123456789ABCDEF";
      uri += {'%', kHex[c >> 4], kHex[c & 15]};
    } else {
      uri += c;
    }
  }
  return uri;
}

}  // namespace

std::string reading_uri(const std::filesystem::path& file, Reading reading) {
  add_to_sqlite();
  const Vfs& vfs = reading == Reading::rollback ? kLocking : kLockless;
  // A database in WAL mode without its log can be opened only as immutable.
  return "file:" + escaped(std::filesystem::absolute(file).string()) + "?vfs=" + vfs.name +
         (reading == Reading::alone ? "&immutable=1" : "");
}

bool is_reading_uri(std::string_view name) {
  return name.starts_with("file:/") && name.find("?vfs=mansard-read") != name.npos;
}

bool reads_without_locks(std::string_view name) {
  return name.starts_with("file:") && name.find(std::string("?vfs=") + kLockless.name) != name.npos;
}

}  // namespace mansard::store
