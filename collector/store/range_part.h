// SPDX-License-Identifier: Apache-2.0
// Reads NVTX_EVENTS in parts, so that two threads can share the largest table of a profile.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "collector/store/profile.h"
#include "collector/store/record_packer.h"
#include "collector/store/row_reader.h"

namespace mansard::store {

class RangePart {
 public:
  // `first_text`: above all ids of registered strings.
  explicit RangePart(StringId first_text) : first_text_(first_text) {}
  RangePart(const RangePart&) = delete;  // ids_ looks into texts_
  RangePart& operator=(const RangePart&) = delete;

  void read(Database& database, RowIds& ids, RowSpan rows);
  // Adds the records of the part that follows.
  void append(RangePart& next);
  // Sets the NVTX events of the profile, and adds their texts to its strings.
  void move_to(Profile& profile);

 private:
  // A few hundred texts occur millions of times: each is stored once, like registered strings.
  StringId id_of(std::string_view text);

  StringId first_text_;
  std::deque<std::string> texts_;  // of the ids from first_text_ on
  std::unordered_map<std::string_view, StringId> ids_;
  RecordPacker<NvtxRecord> ranges_;
};

}  // namespace mansard::store
