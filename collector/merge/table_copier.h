// SPDX-License-Identifier: Apache-2.0
// Copies a rank's tables into a merged profile, and converts ids and times to those of the merged
// profile (store::column_kind()). Also copies tables added by later versions of Nsight Systems.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "collector/merge/clock_alignment.h"
#include "collector/store/sqlite.h"

namespace mansard::collector {

struct RankPlacement {
  std::int64_t start_utc_ns = 0;   // start of the rank's profile, on its clock
  ClockShift shift;                // to the first rank's clock
  std::int64_t merged_utc_ns = 0;  // start of the merged profile, on the first rank's clock
  std::int64_t machine = 0;        // number of the rank's machine; pids are unique per machine
};

class TableCopier {
 public:
  explicit TableCopier(store::Database& merged);

  // `file` is a closed profile.
  void copy(const std::string& file, const RankPlacement& placement);

 private:
  void copy_strings();
  void copy_gpus(std::int64_t machine);
  void create_like_ranks(const std::string& table);
  void copy_table(const std::string& table);
  std::string expression(const std::string& table, const std::string& column) const;
  void move_ids_past();

  store::Database& merged_;
  std::unordered_map<std::string, std::int64_t> strings_;
  std::map<std::string, std::int64_t> devices_;  // new ids by UUID
  // For the rank being copied: SQL for the time in column %, and offsets added to ids.
  std::string time_;
  std::int64_t machine_bits_ = 0;
  std::int64_t correlation_offset_ = 0;
  std::int64_t event_offset_ = 0;
  std::int64_t reading_offset_ = 0;
  std::int64_t domain_offset_ = 0;
};

}  // namespace mansard::collector
