// SPDX-License-Identifier: Apache-2.0
// Caches a function of a range's name: evaluated once per distinct name read from a file, as there
// are millions of ranges but few names.
#pragma once

#include <functional>
#include <string_view>
#include <unordered_map>

#include "collector/store/profile.h"

namespace mansard::analysis {

template <class Value>
class ByRangeName {
 public:
  ByRangeName(const store::Profile& profile, std::function<Value(std::string_view)> value_of)
      : profile_(profile), value_of_(std::move(value_of)) {}

  // The reference is valid until the next call.
  const Value& operator()(const store::NvtxRecord& range) {
    if (range.text_id == 0) return of_unread_ = value_of_(profile_.text(range));
    const auto [known, is_new] = values_.try_emplace(range.text_id);
    if (is_new) known->second = value_of_(profile_.text(range));
    return known->second;
  }

 private:
  const store::Profile& profile_;
  std::function<Value(std::string_view)> value_of_;
  std::unordered_map<store::StringId, Value> values_;
  Value of_unread_ = {};
};

}  // namespace mansard::analysis
