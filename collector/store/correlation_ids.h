// SPDX-License-Identifier: Apache-2.0
// Correlation ids count calls within a process. An export of Nsight Systems can hold several
// processes, and their ids are told apart here by the process that each row names.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "collector/store/sqlite.h"

namespace mansard::store {

class CorrelationIds {
 public:
  // A recording of ours holds one process, or has been merged, which makes its ids unique.
  explicit CorrelationIds(Database& database)
      : own_(database.has_table("MANSARD_STATE")), merged_(database.has_table("MANSARD_RANKS")) {}

  // The id in column `id` of a row whose column `process` holds a globalPid or globalTid, made
  // unique. The first process keeps its ids, and 0 stays none.
  std::int64_t read(const Statement& row, int id, int process) {
    const std::int64_t value = row.integer(id);
    if (own_ || value == 0) return value;
    if (row.is_null(process)) {
      rows_without_process_ = true;
      return value;
    }
    constexpr std::int64_t kThreadBits = 24;
    const auto next = static_cast<std::int64_t>(processes_.size());
    const std::int64_t number =
        processes_.try_emplace(row.integer(process) >> kThreadBits, next).first->second;
    return number << 32 | value;  // CUPTI's ids have 32 bits
  }

  bool is_our_own() const { return own_; }

  // Whether a call can be mistaken for another process's, if the profile holds several.
  bool unique() const { return own_ ? merged_ : !rows_without_process_; }

 private:
  bool own_;
  bool merged_;
  bool rows_without_process_ = false;
  std::unordered_map<std::int64_t, std::int64_t> processes_;  // numbered as they come
};

}  // namespace mansard::store
