// SPDX-License-Identifier: Apache-2.0
// Keeps readers of a recording apart from its writer. The writer appends to a write-ahead log, and
// from time to time moves the log's pages into the file. The index of the log is in the memory of
// each process, not in a shared file (-shm): whoever truncated that file would end both by SIGBUS.
// So a reader holds a shared lock on the log while it reads, and the writer an exclusive one while
// it moves pages; meanwhile the log only grows, and what a reader sees does not change.
#pragma once

#include <chrono>
#include <filesystem>
#include <utility>

namespace mansard::store {

enum class LockKind { shared, exclusive };

class LogLock {
 public:
  // Holds nothing.
  LogLock() = default;
  // Opens the log of `database` with the system calls of SQLite's VFS, which may be guarded
  // (own_files.h). Without a log, or without the right to open it, every lock is granted.
  LogLock(const std::filesystem::path& database, LockKind most);
  ~LogLock();
  LogLock(LogLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  LogLock& operator=(LogLock&& other) noexcept;

  // False: others hold the log. True on file systems without locks.
  bool acquire(LockKind kind);
  void release();

  // False once that log has been deleted. True if nothing is held.
  bool locks_log_of(const std::filesystem::path& database) const;

 private:
  int fd_ = -1;
};

// Returns once the log of `database` is locked, or the database has none. Throws
// std::runtime_error if its writer holds the log for longer than `patience`.
LogLock share_log(const std::filesystem::path& database, std::chrono::milliseconds patience);

}  // namespace mansard::store
