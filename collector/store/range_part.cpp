// SPDX-License-Identifier: Apache-2.0
#include "collector/store/range_part.h"

#include <vector>

namespace mansard::store {

void RangePart::read(Database& database, RowIds& ids, RowSpan rows) {
  RowReader<table<NvtxRecord>> reader(database, ids, "", rows);
  NvtxRecord range;
  while (reader.next(range)) {
    if (range.text_id == 0) range.text_id = id_of(range.text);
    if (!range.json.empty()) range.payload = NvtxJson{id_of(range.json)};
    range.text.clear();
    ranges_.add(range);
  }
}

void RangePart::append(RangePart& next) {
  std::vector<StringId> own_ids;
  for (const std::string& text : next.texts_) own_ids.push_back(id_of(text));
  const auto own_id = [&](StringId id) {
    return id < next.first_text_ ? id : own_ids[static_cast<std::size_t>(id - next.first_text_)];
  };
  NvtxRecord range;
  next.ranges_.finish().for_each([&](std::size_t, const NvtxRecord& of_next) {
    range = of_next;
    range.text_id = own_id(range.text_id);
    if (auto* const json = std::get_if<NvtxJson>(&range.payload)) json->id = own_id(json->id);
    ranges_.add(range);
  });
}

void RangePart::move_to(Profile& profile) {
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    profile.strings.emplace(first_text_ + static_cast<StringId>(i), texts_[i]);
  }
  profile.nvtx = ranges_.finish_by_start();
}

StringId RangePart::id_of(std::string_view text) {
  if (text.empty()) return 0;
  const auto known = ids_.find(text);
  if (known != ids_.end()) return known->second;
  const StringId id = first_text_ + static_cast<StringId>(texts_.size());
  ids_.emplace(texts_.emplace_back(text), id);  // elements of a deque do not move
  return id;
}

}  // namespace mansard::store
