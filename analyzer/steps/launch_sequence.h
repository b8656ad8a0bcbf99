// SPDX-License-Identifier: Apache-2.0
// The activities of a device as a sequence of launches, and the comparison of its segments.
// Segments are compared as multisets: concurrent streams interleave differently each time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "support/hash.h"

namespace mansard::analysis {

using Indices = std::vector<std::uint32_t>;

// One activity of a device, in the order of their starts.
struct SequenceItem {
  std::uint32_t signature = 0;  // equal for equal launches
  std::int64_t busy_ns = 0;
  std::int64_t idle_before_ns = 0;  // of the device
  bool is_graph = false;            // a CUDA graph recorded as a whole
  // The host waited for the device before it, or it is a copy between host and device or a graph:
  // what a program's main loop does, and the layers of a model do not.
  bool marks_loop = false;
};

// The cost of an item: even a short launch counts, and so does one without a duration.
inline double weight_of(const SequenceItem& item) {
  return static_cast<double>(item.busy_ns) + 1000;
}

// Items with dense numbers for their signatures.
struct Sequence {
  explicit Sequence(std::span<const SequenceItem> all) : items(all) {
    std::unordered_map<std::uint32_t, std::uint32_t> ids;
    id.reserve(items.size());
    weight_before.reserve(items.size() + 1);
    weight_before.push_back(0);
    for (const SequenceItem& item : items) {
      const auto [known, is_new] =
          ids.try_emplace(item.signature, static_cast<std::uint32_t>(ids.size()));
      if (is_new) hash.push_back(HashBuilder().add(item.signature).hash());
      id.push_back(known->second);
      weight_before.push_back(weight_before.back() + weight_of(item));
    }
  }
  std::size_t size() const { return id.size(); }
  double weight(std::size_t begin, std::size_t end) const {
    return weight_before[end] - weight_before[begin];
  }

  std::span<const SequenceItem> items;
  Indices id;                         // by item
  std::vector<std::uint64_t> hash;    // by id
  std::vector<double> weight_before;  // by item, and the total
};

// Counts by id, of the items of a segment.
class Multiset {
 public:
  explicit Multiset(const Sequence& sequence)
      : sequence_(sequence), count_(sequence.hash.size(), 0) {}

  void assign(std::size_t begin, std::size_t end) {
    for (const std::uint32_t id : used_) count_[id] = 0;
    used_.clear();
    size_ = end - begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (count_[sequence_.id[i]]++ == 0) used_.push_back(sequence_.id[i]);
    }
  }
  std::size_t size() const { return size_; }
  std::size_t distinct() const { return used_.size(); }
  bool contains(std::uint32_t id) const { return count_[id] > 0; }
  std::uint32_t count(std::uint32_t id) const { return count_[id]; }

 private:
  const Sequence& sequence_;
  Indices count_;
  Indices used_;
  std::size_t size_ = 0;
};

// The items that a segment has in common with a reference segment.
struct Overlap {
  std::size_t items = 0;
  double weight = 0;
  double known_weight = 0;  // of all items that occur in the reference, however often
};

// Compares segments of a sequence with a reference segment.
class Comparison {
 public:
  // `min_equal`: share of the items that equal segments have in common.
  Comparison(const Sequence& sequence, const Multiset& reference, double min_equal)
      : sequence_(sequence),
        reference_(reference),
        min_equal_(min_equal),
        seen_(sequence.hash.size(), 0) {}

  Overlap of(std::size_t begin, std::size_t end) {
    Overlap overlap;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t id = sequence_.id[i];
      if (!reference_.contains(id)) continue;
      const double weight = weight_of(sequence_.items[i]);
      overlap.known_weight += weight;
      if (++seen_[id] > reference_.count(id)) continue;
      ++overlap.items;
      overlap.weight += weight;
    }
    for (std::size_t i = begin; i < end; ++i) seen_[sequence_.id[i]] = 0;
    return overlap;
  }
  // Start of the shortest segment that ends at `end`, starts with the item at `end` and contains a
  // whole repetition; nothing if there is none.
  std::optional<std::uint32_t> step_before(std::size_t end) {
    if (end >= sequence_.size()) return std::nullopt;
    std::optional<std::uint32_t> start;
    Overlap overlap;
    std::size_t at = end;
    while (at > 0 && !start) {
      const std::uint32_t id = sequence_.id[--at];
      if (++seen_[id] <= reference_.count(id)) ++overlap.items;
      if (id == sequence_.id[end] && contains_most(overlap)) {
        start = static_cast<std::uint32_t>(at);
      }
    }
    for (std::size_t i = at; i < end; ++i) seen_[sequence_.id[i]] = 0;
    return start;
  }
  // Whether a segment contains a whole repetition, whatever else it contains.
  bool contains_most(const Overlap& overlap) const {
    return static_cast<double>(overlap.items) >=
           min_equal_ * static_cast<double>(reference_.size());
  }
  bool is_equal(std::size_t begin, std::size_t end, const Overlap& overlap) const {
    return contains_most(overlap) &&
           static_cast<double>(overlap.items) >= min_equal_ * static_cast<double>(end - begin);
  }

 private:
  const Sequence& sequence_;
  const Multiset& reference_;
  const double min_equal_;
  Indices seen_;
};

}  // namespace mansard::analysis
