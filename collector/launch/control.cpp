// SPDX-License-Identifier: Apache-2.0
#include "collector/launch/control.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <stdexcept>
#include <unistd.h>

#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "collector/session/control_block.h"
#include "support/process.h"

namespace mansard::collector {
namespace {

namespace fs = std::filesystem;

// A folder of control blocks, accessed through its descriptor only: its owner could replace it with
// a link at any time, and root visits the folders of all users.
class ControlFolder {
 public:
  explicit ControlFolder(const fs::path& folder)
      : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) {
    struct stat status {};
    if (fd_ >= 0 && fstat(fd_, &status) == 0) owner_ = status.st_uid;
  }
  ~ControlFolder() {
    if (fd_ >= 0) close(fd_);
  }
  ControlFolder(const ControlFolder&) = delete;
  ControlFolder& operator=(const ControlFolder&) = delete;

  int fd() const { return fd_; }
  uid_t owner() const { return owner_; }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    DIR* const stream = fd_ < 0 ? nullptr : fdopendir(dup(fd_));
    if (stream == nullptr) return all;
    while (const dirent* entry = readdir(stream)) {
      if (entry->d_name[0] != '.') all.emplace_back(entry->d_name);
    }
    closedir(stream);
    return all;
  }

  void remove(const std::string& name) const { unlinkat(fd_, name.c_str(), 0); }

 private:
  int fd_;
  uid_t owner_ = static_cast<uid_t>(-1);
};

// The file that holds another process's block.
class BlockFile {
 public:
  BlockFile(const ControlFolder& folder, const std::string& name)
      : fd_(folder.fd() < 0
                ? -1
                : openat(folder.fd(), name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
    struct stat status {};
    const bool whole = fd_ >= 0 && fstat(fd_, &status) == 0 && S_ISREG(status.st_mode) &&
                       status.st_size >= static_cast<off_t>(sizeof(ControlBlock));
    // Only the owner and root may send requests; a link to another user's file is not a block.
    valid_ = whole && status.st_uid == folder.owner() && status.st_nlink == 1 &&
             (status.st_uid == geteuid() || geteuid() == 0);
  }
  ~BlockFile() {
    if (fd_ >= 0) close(fd_);
  }
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;

  bool valid() const { return valid_; }
  int fd() const { return fd_; }

 private:
  int fd_;
  bool valid_ = false;
};

bool is_complete(const ControlBlock& block) {
  return block.magic.load(std::memory_order_acquire) == ControlBlock::kMagic;
}

// Reads a copy instead of mapping the file: truncating a mapped file would raise SIGBUS here.
std::unique_ptr<const ControlBlock> read_block(const ControlFolder& folder,
                                               const std::string& name) {
  const BlockFile file(folder, name);
  auto block = std::make_unique<ControlBlock>();
  void* const bytes = block.get();
  const bool whole =
      file.valid() && pread(file.fd(), bytes, sizeof *block, 0) == ssize_t{sizeof *block};
  if (!whole || !is_complete(*block)) return nullptr;
  return block;
}

// Another process's block, mapped into our memory.
class Mapped {
 public:
  Mapped(const ControlFolder& folder, const std::string& name) : file_(folder, name) {
    if (!file_.valid()) return;
    constexpr int kAccess = PROT_READ | PROT_WRITE;
    void* page = mmap(nullptr, sizeof(ControlBlock), kAccess, MAP_SHARED, file_.fd(), 0);
    if (page != MAP_FAILED) block_ = static_cast<ControlBlock*>(page);
  }
  ~Mapped() {
    if (block_ != nullptr) munmap(block_, sizeof(ControlBlock));
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

  bool valid() const { return block_ != nullptr && is_complete(*block_); }
  ControlBlock& operator*() const { return *block_; }
  ControlBlock* operator->() const { return block_; }
  int fd() const { return file_.fd(); }

 private:
  BlockFile file_;
  ControlBlock* block_ = nullptr;
};

template <std::size_t N>
std::string text(const char (&characters)[N]) {
  return {characters, strnlen(characters, N)};
}

RecordingProgress progress_of(const ControlBlock& block) {
  return {block.events, block.dropped_events, block.file_bytes};
}

std::optional<bool> lives(const ControlBlock& block) {
  return is_alive({block.pid, block.process_start_ticks, text(block.process_scope)});
}

std::vector<fs::path> folders() {
  const fs::path own = control_folder();
  std::vector<fs::path> all = {own};
  if (geteuid() != 0 || std::getenv("MANSARD_CONTROL_FOLDER") != nullptr) return all;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/dev/shm", error)) {
    const bool theirs = entry.path().filename().string().starts_with("mansard-");
    if (theirs && entry.path() != own) all.push_back(entry.path());
  }
  return all;
}

bool same_file(const fs::path& a, const fs::path& b) {
  return !a.empty() && fs::weakly_canonical(a) == fs::weakly_canonical(b);
}

}  // namespace

std::vector<RecordedProcess> recorded_processes() {
  std::vector<RecordedProcess> found;
  for (const fs::path& folder : folders()) {
    const ControlFolder opened(folder);
    for (const std::string& name : opened.names()) {
      const auto block = read_block(opened, name);
      if (block == nullptr) continue;  // still being created
      const std::optional<bool> alive = lives(*block);
      if (alive == false) opened.remove(name);
      if (alive != true) continue;  // or in another container, which we cannot reach
      const bool has_file = block->has_file.load(std::memory_order_acquire) != 0;
      found.push_back({block->pid, folder / name, text(block->output),
                       has_file ? text(block->file) : std::string(), progress_of(*block)});
    }
  }
  remove_control_folder_if_empty();
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.pid < b.pid; });
  return found;
}

std::vector<RecordedProcess> find_recorded(const std::string& target) {
  const bool is_pid = !target.empty() && target.find_first_not_of("0123456789") == target.npos;
  const std::vector<RecordedProcess> all = recorded_processes();
  std::vector<RecordedProcess> found;
  std::string others;
  for (const RecordedProcess& process : all) {
    const bool meant = is_pid
                           ? std::to_string(process.pid) == target
                           : same_file(process.output, target) || same_file(process.file, target);
    if (meant) found.push_back(process);
    others += "\n  process " + std::to_string(process.pid) + ", " +
              (process.file.empty() ? process.output : process.file).string();
  }
  if (!found.empty()) return found;
  throw std::runtime_error((is_pid ? "process " + target + " is not being recorded"
                                   : "no running process is recording to '" + target + "'") +
                           (others.empty()
                                ? "; no process of this user is being recorded. Recording of a "
                                  "process starts with its first NVTX range or CUDA call."
                                : "; processes being recorded:" + others));
}

ControlReply control(const RecordedProcess& process, ControlCommand command,
                     std::chrono::milliseconds patience) {
  const std::string who = "process " + std::to_string(process.pid);
  const Mapped block(ControlFolder(process.block.parent_path()), process.block.filename());
  if (!block.valid()) throw std::runtime_error(who + " has ended");
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const auto give_up_at_deadline = [&] {
    if (lives(*block) != true) throw std::runtime_error(who + " has ended");
    if (std::chrono::steady_clock::now() < deadline) return;
    throw std::runtime_error(who + " does not respond; it may be stopped, or its disk may be hung");
  };
  while (flock(block.fd(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      throw std::runtime_error(process.block.string() + ": cannot lock: " + std::strerror(errno));
    }
    give_up_at_deadline();
    usleep(10'000);
  }
  block->command = static_cast<std::uint32_t>(command);
  const std::uint32_t number = block->requested.fetch_add(1, std::memory_order_acq_rel) + 1;
  wake_all(block->requested);
  for (std::uint32_t done = block->answered; done != number; done = block->answered) {
    wait_while(block->answered, done);
    if (block->answered != number) give_up_at_deadline();
  }
  return {static_cast<ControlState>(block->state.load()),
          static_cast<ControlResult>(block->result.load()), block->windows, progress_of(*block)};
}

}  // namespace mansard::collector
