// SPDX-License-Identifier: Apache-2.0
#include "collector/store/log_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/files.h"

namespace mansard::store {
namespace {

namespace fs = std::filesystem;

std::string log_of(const fs::path& database) { return database.string() + "-wal"; }

// Looks up a system call by SQLite's name, with SQLite's signature (os_unix.c).
template <class Function>
Function* system_call(const char* name) {
  sqlite3_vfs* const vfs = sqlite3_vfs_find("unix");
  return reinterpret_cast<Function*>(vfs->xGetSystemCall(vfs, name));
}

// Open file description locks: they survive closing another descriptor of the file.
bool set_lock(int fd, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  const auto call = system_call<int(int, int, ...)>("fcntl");
  return call(fd, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
}

}  // namespace

LogLock::LogLock(const fs::path& database, LockKind most) {
  const auto call = system_call<int(const char*, int, int)>("open");
  const int access = most == LockKind::exclusive ? O_RDWR : O_RDONLY;
  fd_ = call(log_of(database).c_str(), access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
}

LogLock::~LogLock() {
  if (fd_ >= 0) system_call<int(int)>("close")(fd_);
}

LogLock& LogLock::operator=(LogLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

bool LogLock::acquire(LockKind kind) {
  return fd_ < 0 || set_lock(fd_, kind == LockKind::exclusive ? F_WRLCK : F_RDLCK);
}

void LogLock::release() {
  if (fd_ >= 0) set_lock(fd_, F_UNLCK);
}

bool LogLock::locks_log_of(const fs::path& database) const {
  return fd_ < 0 || file_identity(fd_) == file_identity(log_of(database));
}

LogLock share_log(const fs::path& database, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    LogLock lock(database, LockKind::shared);
    std::error_code missing;
    if (!fs::exists(log_of(database), missing)) return {};
    // A log that has been deleted meanwhile has no owner.
    if (lock.acquire(LockKind::shared) && lock.locks_log_of(database)) return lock;
    if (std::chrono::steady_clock::now() > deadline) {
      throw std::runtime_error(database.string() +
                               ": its writer is checkpointing the log (-wal). Try again.");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace mansard::store
