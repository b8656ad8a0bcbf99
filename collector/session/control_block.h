// SPDX-License-Identifier: Apache-2.0
// How `mansard control` talks with a process that is being recorded: a page of shared memory, and
// futexes in it. The process keeps neither a file descriptor nor a socket for it and receives no
// signal. One request at a time: whoever makes one holds a lock on the page's file.
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
  static constexpr std::uint64_t kMagic = 0x32'6c72'7463'736dULL;  // with the layout's version

  std::atomic<std::uint64_t> magic;  // written last
  std::int64_t pid;
  std::int64_t process_start_ticks;
  char process_scope[128];  // RecordingProcess
  char output[1024];        // the file that was asked for
  char file[1024];          // the file that is written, once there is one
  std::atomic<std::uint32_t> has_file;
  std::atomic<std::uint32_t> state;    // ControlState
  std::atomic<std::uint32_t> windows;  // opened so far
  std::atomic<std::uint32_t> command;
  std::atomic<std::uint32_t> result;
  std::atomic<std::uint32_t> requested;  // number of requests made; a futex
  std::atomic<std::uint32_t> answered;   // number of requests done; a futex
  // RecordingProgress, by the writer's thread at each of its steps.
  std::atomic<std::uint64_t> events;
  std::atomic<std::uint64_t> dropped_events;
  std::atomic<std::uint64_t> file_bytes;
};
static_assert(sizeof(ControlBlock) <= 4096 && std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::uint32_t>::is_always_lock_free);

// The user's own folder for them: MANSARD_CONTROL_FOLDER, or one in /dev/shm. The collector makes
// it; a folder of somebody else's in its place is not used.
std::filesystem::path control_folder();

// In `folder`, which is made if it is missing. Null: not possible here. Its memory is never
// unmapped, as it lives as long as the process.
ControlBlock* create_control_block(const std::filesystem::path& folder,
                                   const std::filesystem::path& output);
// The block of this process, and remove_control_folder_if_empty().
void remove_control_block(const std::filesystem::path& folder);
// The one in /dev/shm. One that was given is its giver's.
void remove_control_folder_if_empty();

// False once somebody has truncated its file: it must not be touched then.
bool is_intact(const ControlBlock& block);

// Waits until `word` is not `value` any more, or a second has passed.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value);
void wake_all(const std::atomic<std::uint32_t>& word);

}  // namespace mansard::collector
