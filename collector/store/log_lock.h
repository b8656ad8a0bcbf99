// SPDX-License-Identifier: Apache-2.0
// Synchronizes readers of a profile with its writer. The writer appends to a write-ahead log, and
// sometimes checkpoints it: moves its pages into the file. Each process keeps the index of the log
// in its own memory, not in a shared file (-shm): truncating that file would kill both processes
// with SIGBUS. So a reader holds a shared lock on the log while it reads, and the writer an
// exclusive one during a checkpoint; in between, the log only grows, and the reader's snapshot does
// not change.
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
  // (guarded_files.h). If there is no log, or it cannot be opened, every lock is granted.
  LogLock(const std::filesystem::path& database, LockKind most);
  ~LogLock();
  LogLock(LogLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  LogLock& operator=(LogLock&& other) noexcept;

  // Returns false if others hold the lock. Returns true on file systems without locks.
  bool acquire(LockKind kind);
  void release();

  // Returns false once that log has been deleted. Returns true if nothing is held.
  bool locks_log_of(const std::filesystem::path& database) const;

 private:
  int fd_ = -1;
};

// Waits until the log of `database` is locked; returns immediately if there is none. Throws
// std::runtime_error if the writer holds the lock for longer than `patience`.
LogLock share_log(const std::filesystem::path& database, std::chrono::milliseconds patience);

}  // namespace mansard::store
