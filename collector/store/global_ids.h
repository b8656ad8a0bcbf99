// SPDX-License-Identifier: Apache-2.0
// globalTid and globalPid as packed by Nsight Systems: machine << 48 | pid << 24 | tid, with tid 0
// in a globalPid.
#pragma once

#include <cstdint>

namespace mansard::store {

inline constexpr int kTidBits = 24;
inline constexpr std::int64_t kTidMask = (std::int64_t{1} << kTidBits) - 1;

constexpr std::int64_t global_pid(std::int64_t pid) { return pid << kTidBits; }
constexpr std::int64_t global_tid(std::int64_t pid, std::int64_t tid) {
  return pid << kTidBits | tid;
}
constexpr std::int64_t tid_of(std::int64_t global_id) { return global_id & kTidMask; }
constexpr std::int64_t pid_of(std::int64_t global_id) { return global_id >> kTidBits & kTidMask; }
// The process and its machine: equal for all threads of one process.
constexpr std::int64_t process_key(std::int64_t global_id) { return global_id >> kTidBits; }

}  // namespace mansard::store
