// SPDX-License-Identifier: Apache-2.0
// The work annotations of a profile's ranges by NvtxRecord::row_id; many ranges share one
// annotation.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "kernels/annotation/work_annotation.h"

namespace mansard::store {

class WorkByRange {
 public:
  // Replaces the range's annotation.
  void set(std::int64_t row_id, const kernels::WorkAnnotation& work);
  void erase(std::int64_t row_id) { of_row_.erase(row_id); }

  // Returns nullptr for a range without an annotation. Valid as long as this object.
  const kernels::WorkAnnotation* find(std::int64_t row_id) const {
    const auto found = of_row_.find(row_id);
    return found == of_row_.end() ? nullptr : &works_[found->second];
  }
  bool contains(std::int64_t row_id) const { return of_row_.contains(row_id); }
  // Throws std::out_of_range.
  const kernels::WorkAnnotation& at(std::int64_t row_id) const {
    return works_[of_row_.at(row_id)];
  }

  std::size_t size() const { return of_row_.size(); }  // ranges

  template <class Take>
  void for_each(const Take& take) const {
    for (const auto& [row_id, work] : of_row_) take(row_id, works_[work]);
  }

 private:
  std::deque<kernels::WorkAnnotation> works_;  // all different; elements do not move
  std::unordered_map<std::string, std::uint32_t>
      of_key_;  // index into works_, by all values of the annotation
  std::unordered_map<std::int64_t, std::uint32_t> of_row_;  // into works_
};

}  // namespace mansard::store
