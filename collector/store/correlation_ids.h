// SPDX-License-Identifier: Apache-2.0
// Correlation ids are unique within a process. An Nsight Systems export can contain several
// processes; their ids are made unique here by the process of each row.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "collector/store/sqlite.h"

namespace mansard::store {

class CorrelationIds {
 public:
  // A Mansard profile has one process, or has been merged, which makes ids unique.
  explicit CorrelationIds(Database& database)
      : own_(database.has_table("MANSARD_STATE")), merged_(database.has_table("MANSARD_RANKS")) {}

  // Makes an id unique by the process of its row, a globalPid or globalTid. The ids of the first
  // process do not change, and 0 still means none.
  std::int64_t in_process(std::int64_t id, std::optional<std::int64_t> process) {
    if (own_ || id == 0) return id;
    if (!process) {
      rows_without_process_ = true;
      return id;
    }
    constexpr std::int64_t kThreadBits = 24;
    const auto next = static_cast<std::int64_t>(processes_.size());
    const std::int64_t number = processes_.try_emplace(*process >> kThreadBits, next).first->second;
    return number << 32 | id;  // CUPTI's ids have 32 bits
  }

  bool is_our_own() const { return own_; }

  // Whether ids are unambiguous, even if the profile has several processes.
  bool unique() const { return own_ ? merged_ : !rows_without_process_; }

 private:
  bool own_;
  bool merged_;
  bool rows_without_process_ = false;
  std::unordered_map<std::int64_t, std::int64_t> processes_;  // numbered in order of appearance
};

}  // namespace mansard::store
