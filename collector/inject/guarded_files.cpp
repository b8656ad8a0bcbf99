// SPDX-License-Identifier: Apache-2.0
#include "collector/inject/guarded_files.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <mutex>
#include <sqlite3.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "support/files.h"

namespace mansard::collector {
namespace {

// High enough not to collide with a program that opens files after closing all descriptors, low
// enough to keep the kernel's descriptor table small.
constexpr rlim_t kHighest = 4000;
constexpr rlim_t kReserve = 64;  // below the limit

struct OwnFile {
  int fd = -1;
  FileIdentity file;
};

// SQLite opens a database, its log and its shared memory: twice as many while it reopens them.
struct OwnFiles {
  std::mutex mutex;
  std::array<OwnFile, 32> files;
  std::atomic<bool> lost = false;
};

// Never destroyed: used until the process ends.
OwnFiles& guarded_files() {
  static OwnFiles* const only = new OwnFiles;
  return *only;
}

int move_up(int fd) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= 2 * kReserve) return fd;
  const auto least = static_cast<int>(std::min(limit.rlim_cur - kReserve, kHighest));
  const int high = fcntl(fd, F_DUPFD_CLOEXEC, least);
  if (high < 0) return fd;
  close(fd);
  return high;
}

bool remember(int fd) {
  const auto file = file_identity(fd);
  if (!file) return false;
  OwnFiles& own = guarded_files();
  const std::lock_guard lock(own.mutex);
  auto place = std::find_if(own.files.begin(), own.files.end(),
                            [fd](const OwnFile& known) { return known.fd == fd; });
  if (place == own.files.end()) {
    place = std::find_if(own.files.begin(), own.files.end(),
                         [](const OwnFile& known) { return known.fd < 0; });
  }
  if (place == own.files.end()) return false;
  *place = {fd, *file};
  return true;
}

bool is_ours(int fd) {
  OwnFiles& own = guarded_files();
  {
    const std::lock_guard lock(own.mutex);
    for (const OwnFile& known : own.files) {
      if (known.fd == fd && file_identity(fd) == known.file) return true;
    }
  }
  own.lost = true;
  errno = EBADF;
  return false;
}

// Reports a descriptor that was closed between the check and the call.
template <class Result>
Result noted(Result result) {
  if (result < 0 && errno == EBADF) guarded_files().lost = true;
  return result;
}

void forget(int fd) {
  OwnFiles& own = guarded_files();
  const std::lock_guard lock(own.mutex);
  for (OwnFile& file : own.files) {
    if (file.fd == fd) file.fd = -1;
  }
}

// Replacements of system calls, with the signatures that SQLite uses (os_unix.c).

int own_open(const char* path, int flags, int mode) {
  const int low = open(path, flags | O_CLOEXEC, mode);
  if (low < 0) return low;
  const int fd = move_up(low);
  if (remember(fd)) return fd;
  close(fd);
  errno = EMFILE;
  return -1;
}

int own_close(int fd) {
  const bool ours = is_ours(fd);
  forget(fd);
  return ours ? close(fd) : 0;
}

ssize_t own_read(int fd, void* to, size_t size) {
  return is_ours(fd) ? noted(read(fd, to, size)) : -1;
}

ssize_t own_pread(int fd, void* to, size_t size, off_t at) {
  return is_ours(fd) ? noted(pread(fd, to, size, at)) : -1;
}

ssize_t own_write(int fd, const void* from, size_t size) {
  return is_ours(fd) ? noted(write(fd, from, size)) : -1;
}

ssize_t own_pwrite(int fd, const void* from, size_t size, off_t at) {
  return is_ours(fd) ? noted(pwrite(fd, from, size, at)) : -1;
}

int own_ftruncate(int fd, off_t size) { return is_ours(fd) ? noted(ftruncate(fd, size)) : -1; }

int own_fallocate(int fd, off_t at, off_t size) {
  return is_ours(fd) ? posix_fallocate(fd, at, size) : EBADF;
}

int own_fchmod(int fd, mode_t mode) { return is_ours(fd) ? noted(fchmod(fd, mode)) : -1; }

int own_fchown(int fd, uid_t user, gid_t group) {
  return is_ours(fd) ? noted(fchown(fd, user, group)) : -1;
}

int own_fstat(int fd, struct stat* status) { return is_ours(fd) ? noted(fstat(fd, status)) : -1; }

int own_fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  return is_ours(fd) ? noted(fcntl(fd, command, argument)) : -1;
}

void* own_mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) {
  if ((flags & MAP_ANONYMOUS) != 0) return mmap(at, size, protection, flags, fd, offset);
  return is_ours(fd) ? mmap(at, size, protection, flags, fd, offset) : MAP_FAILED;
}

// SQLite treats a failing lock call like a lock that others hold, and sleeps up to 10 s.
int own_sleep(sqlite3_vfs*, int microseconds) {
  if (!guarded_files().lost) usleep(static_cast<useconds_t>(microseconds));
  return microseconds;
}

template <class Function>
void replace(sqlite3_vfs* vfs, const char* name, Function function) {
  vfs->xSetSystemCall(vfs, name, reinterpret_cast<sqlite3_syscall_ptr>(function));
}

}  // namespace

void guard_files() {
  sqlite3_vfs* const vfs = sqlite3_vfs_find("unix");
  if (vfs == nullptr || vfs->iVersion < 3 || vfs->xSetSystemCall == nullptr) return;
  replace(vfs, "open", own_open);
  replace(vfs, "close", own_close);
  replace(vfs, "read", own_read);
  replace(vfs, "pread", own_pread);
  replace(vfs, "pread64", own_pread);
  replace(vfs, "write", own_write);
  replace(vfs, "pwrite", own_pwrite);
  replace(vfs, "pwrite64", own_pwrite);
  replace(vfs, "ftruncate", own_ftruncate);
  replace(vfs, "fallocate", own_fallocate);
  replace(vfs, "fchmod", own_fchmod);
  replace(vfs, "fchown", own_fchown);
  replace(vfs, "fstat", own_fstat);
  replace(vfs, "fcntl", own_fcntl);
  replace(vfs, "mmap", own_mmap);
  vfs->xSleep = own_sleep;
}

void forget_guarded_files() {
  OwnFiles& own = guarded_files();
  own.files.fill({});
  own.lost = false;
}

bool lost_guarded_files() { return guarded_files().lost; }

}  // namespace mansard::collector
