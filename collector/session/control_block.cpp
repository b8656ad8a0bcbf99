// SPDX-License-Identifier: Apache-2.0
#include "collector/session/control_block.h"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "collector/session/background_thread.h"
#include "support/process.h"

namespace mansard::collector {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() { reset(-1); }
  void reset(int other) {
    if (fd >= 0) close(fd);
    fd = other;
  }
};

int create_block_file(int folder, const std::string& name) {
  if (folder < 0) return -1;
  constexpr int kFlags = O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC;
  return openat(folder, name.c_str(), kFlags, 0600);
}

// Opens the folder if this user owns it and nobody else can write to it.
int open_own_folder(const std::filesystem::path& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return -1;
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status {};
  if (fd < 0) return -1;
  const bool ours =
      fstat(fd, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & 077) == 0;
  if (ours) return fd;
  close(fd);
  return -1;
}

std::filesystem::path default_folder() { return "/dev/shm/mansard-" + std::to_string(geteuid()); }

bool copy_text(const std::string& text, char* to, std::size_t size) {
  if (text.size() >= size) return false;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return true;
}

}  // namespace

std::filesystem::path control_folder() {
  const char* given = std::getenv("MANSARD_CONTROL_FOLDER");
  return given != nullptr && *given != '\0' ? std::filesystem::path(given) : default_folder();
}

ControlBlock* create_control_block(const std::filesystem::path& folder,
                                   const std::filesystem::path& output) {
  const RecordingProcess self = this_process();
  const std::string name = std::to_string(self.pid);
  Descriptor place{open_own_folder(folder)};
  unlinkat(place.fd, name.c_str(), 0);  // left by a dead process, or by this one before an exec()
  Descriptor file{create_block_file(place.fd, name)};
  if (file.fd < 0 && errno == ENOENT) {
    // The last process that used the folder has just removed it.
    place.reset(open_own_folder(folder));
    file.reset(create_block_file(place.fd, name));
  }
  if (file.fd < 0) return nullptr;
  // Allocate now: on a full /dev/shm, the first write to the page would kill the program.
  // RLIMIT_FSIZE also applies here.
  const DiscardedWriteSignals quiet;
  void* page =
      posix_fallocate(file.fd, 0, sizeof(ControlBlock)) == 0
          ? mmap(nullptr, sizeof(ControlBlock), PROT_READ | PROT_WRITE, MAP_SHARED, file.fd, 0)
          : MAP_FAILED;
  if (page == MAP_FAILED) {
    unlinkat(place.fd, name.c_str(), 0);
    return nullptr;
  }
  auto* block = static_cast<ControlBlock*>(page);  // all zeros is the empty state
  block->pid = self.pid;
  block->process_start_ticks = self.start_time_ticks;
  if (!copy_text(self.scope, block->process_scope, sizeof block->process_scope) ||
      !copy_text(output.string(), block->output, sizeof block->output)) {
    munmap(page, sizeof(ControlBlock));
    unlinkat(place.fd, name.c_str(), 0);
    return nullptr;
  }
  block->magic.store(ControlBlock::kMagic, std::memory_order_release);
  return block;
}

void remove_control_block(const std::filesystem::path& folder) {
  unlink((folder / std::to_string(getpid())).c_str());
  remove_control_folder_if_empty();
}

void remove_control_folder_if_empty() { rmdir(default_folder().c_str()); }

bool is_intact(const ControlBlock& block) {
  // The kernel reads the word and returns EFAULT; reading it here could raise SIGBUS.
  const timespec at_once{};
  const long result = syscall(SYS_futex, &block.requested, FUTEX_WAIT, 0, &at_once, nullptr, 0);
  return result == 0 || errno != EFAULT;
}

void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value) {
  const timespec second{.tv_sec = 1, .tv_nsec = 0};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &second, nullptr, 0);
}

void wake_all(const std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace mansard::collector
