// SPDX-License-Identifier: Apache-2.0
// The channel between `mansard control` and a process that is being recorded: a page of shared
// memory with futexes. The process needs no file descriptor, socket or signal for it. Requests are
// serialized by a lock on the page's file, which the requester holds.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

namespace mansard::collector {

enum class ControlCommand : std::uint32_t { status, start, stop, flush };
enum class ControlState : std::uint32_t { waiting, recording, over, ended };
enum class ControlResult : std::uint32_t { done, nothing_to_do, too_late, failed };

struct ControlBlock {
  static constexpr std::uint64_t kMagic = 0x32'6c72'7463'736dULL;  // includes the layout version

  std::atomic<std::uint64_t> magic;  // written last
  std::int64_t pid;
  std::int64_t process_start_ticks;
  char process_scope[128];  // RecordingProcess
  char output[1024];        // the requested file name
  char file[1024];          // the file being written, once it exists
  std::atomic<std::uint32_t> has_file;
  std::atomic<std::uint32_t> state;    // ControlState
  std::atomic<std::uint32_t> windows;  // opened so far
  std::atomic<std::uint32_t> command;
  std::atomic<std::uint32_t> result;
  std::atomic<std::uint32_t> requested;  // number of requests made; a futex
  std::atomic<std::uint32_t> answered;   // number of requests answered; a futex
  // RecordingProgress, updated by the writer thread at each step.
  std::atomic<std::uint64_t> events;
  std::atomic<std::uint64_t> dropped_events;
  std::atomic<std::uint64_t> file_bytes;
};
static_assert(sizeof(ControlBlock) <= 4096 && std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

// The folder of this user's control blocks: MANSARD_CONTROL_FOLDER, or one in /dev/shm, created by
// the collector. A folder with this name that another user owns is not used.
std::filesystem::path control_folder();

// Creates the block of this process in `folder`, which is created if missing. Returns null on
// failure. The memory stays mapped as long as the process lives.
ControlBlock* create_control_block(const std::filesystem::path& folder,
                                   const std::filesystem::path& output);
// Removes the block of this process, then calls remove_control_folder_if_empty().
void remove_control_block(const std::filesystem::path& folder);
// Removes the default folder in /dev/shm only, never one given by MANSARD_CONTROL_FOLDER.
void remove_control_folder_if_empty();

// Returns false once the file has been truncated; the block must not be accessed then.
bool is_intact(const ControlBlock& block);

// Waits until `word` differs from `value`, for at most 1 s.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value);
void wake_all(const std::atomic<std::uint32_t>& word);

}  // namespace mansard::collector
