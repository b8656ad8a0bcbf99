// SPDX-License-Identifier: Apache-2.0
// Slices of time on one row of a timeline, in columns, with an index from which the time of each
// class in any stretch of them is known without going through them all.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace mansard::figure {

struct Slice {
  static constexpr std::uint32_t kNoRecord = 0xffffffff;

  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t key = 0;             // what it is, for whoever made the track
  std::uint32_t record = kNoRecord;  // likewise: which one
};

struct SliceColumns {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint32_t> key;
  std::vector<std::uint32_t> record;  // empty: none has one

  std::size_t size() const { return start_ns.size(); }
  void push_back(const Slice& slice);
};

// The class of each key: an index into names that the maker of the tracks keeps, shared by them.
using ClassOfKey = std::vector<std::uint16_t>;

// 24 bytes a slice for the columns (20 without records) and no more than 4 for the index.
class SliceTrack {
 public:
  // Throws std::invalid_argument, naming the slice, unless each slice ends no earlier than it
  // starts and starts no earlier than the one before it ends, and each key has a class.
  SliceTrack(SliceColumns slices, std::shared_ptr<const ClassOfKey> class_of_key);

  std::size_t size() const { return slices_.size(); }
  std::int64_t start_ns(std::size_t i) const { return slices_.start_ns[i]; }
  std::int64_t end_ns(std::size_t i) const { return slices_.end_ns[i]; }
  std::int64_t duration_ns(std::size_t i) const { return end_ns(i) - start_ns(i); }
  std::uint32_t key(std::size_t i) const { return slices_.key[i]; }
  std::uint32_t record(std::size_t i) const {
    return slices_.record.empty() ? Slice::kNoRecord : slices_.record[i];
  }
  std::uint16_t class_of(std::size_t i) const { return (*class_of_key_)[slices_.key[i]]; }
  Slice slice(std::size_t i) const { return {start_ns(i), end_ns(i), key(i), record(i)}; }

  // start_ns(first) and end_ns(last - 1), read from the index where it has them: the slices
  // themselves are far more than caches hold.
  std::int64_t begin_ns(std::size_t first) const {
    return first % chunk_ == 0 ? chunk_start_ns_[first / chunk_] : start_ns(first);
  }
  std::int64_t done_ns(std::size_t last) const {
    return last % chunk_ == 0 ? chunk_end_ns_[last / chunk_ - 1] : end_ns(last - 1);
  }
  // Whether slice `i` is shorter than `ns`; likewise.
  bool shorter_than(std::size_t i, std::int64_t ns) const;

  // The first from `from` on that starts at or after `time_ns`; size() if none does. Looks near
  // `from` first: what lies close is found in a few steps. A chunk of the index that is shorter
  // than `undivided_ns` is not looked into: of one that the time falls into it is the slice after.
  // Adds the slices and the entries of the index that it looks at to `looked_at`.
  std::size_t first_starting_at(std::int64_t time_ns, std::size_t from, std::size_t& looked_at,
                                std::int64_t undivided_ns = 0) const;

  // Adds the time of slices first to last - 1 to `time_ns`, in the order of classes(). Looks at no
  // more slices than two chunks of the index have.
  void add_times(std::size_t first, std::size_t last, std::vector<std::int64_t>& time_ns,
                 std::size_t& looked_at) const;

  // Says that add_times() will soon be asked for a stretch that ends at `last`: the index of many
  // slices lies in memory, from which it comes meanwhile.
  void fetch_times(std::size_t last) const;

  const std::vector<std::uint16_t>& classes() const { return classes_; }  // those it has
  std::size_t chunk_size() const { return chunk_; }
  std::int64_t busy_ns() const;  // of all slices
  std::size_t held_bytes() const;

 private:
  void build_index();
  void scan(std::size_t first, std::size_t last, std::vector<std::int64_t>& time_ns) const;

  SliceColumns slices_;
  std::shared_ptr<const ClassOfKey> class_of_key_;
  std::vector<std::uint16_t> classes_;
  std::vector<std::uint16_t> number_of_class_;  // its place in classes_
  std::size_t chunk_ = 1;                       // slices of one entry of the index; a power of two
  std::vector<std::int64_t> chunk_start_ns_;    // of its first slice
  std::vector<std::int64_t> chunk_end_ns_;      // of its last
  std::vector<std::int64_t> before_ns_;  // by chunk, and one past the last, and class: time before
};

}  // namespace mansard::figure
