// SPDX-License-Identifier: Apache-2.0
// The slices of one timeline row as columns, with an index for the time of each class in any range
// of slices.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace mansard::figure {

struct Slice {
  static constexpr std::uint32_t kNoRecord = 0xffffffff;

  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t key = 0;             // defined by the creator of the track
  std::uint32_t record = kNoRecord;  // index of the record, defined by the creator of the track
};

struct SliceColumns {
  std::vector<std::int64_t> start_ns;
  std::vector<std::int64_t> end_ns;
  std::vector<std::uint32_t> key;
  std::vector<std::uint32_t> record;  // empty: no records

  std::size_t size() const { return start_ns.size(); }
  void push_back(const Slice& slice);
};

// The class of each key, as an index into class names owned by the creator of the tracks. Shared by
// tracks.
using ClassOfKey = std::vector<std::uint16_t>;

// 24 bytes per slice for the columns (20 without records) and at most 4 for the index.
class SliceTrack {
 public:
  // Throws std::invalid_argument with the slice number if a slice ends before it starts, overlaps
  // the previous one, or has a key without a class.
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

  // start_ns(first) and end_ns(last - 1), read from the index if possible to avoid cache misses.
  std::int64_t begin_ns(std::size_t first) const {
    return first % chunk_ == 0 ? chunk_start_ns_[first / chunk_] : start_ns(first);
  }
  std::int64_t done_ns(std::size_t last) const {
    return last % chunk_ == 0 ? chunk_end_ns_[last / chunk_ - 1] : end_ns(last - 1);
  }
  // Whether slice `i` is shorter than `ns`, read from the index if possible.
  bool shorter_than(std::size_t i, std::int64_t ns) const;

  // The first slice from `from` on that starts at or after `time_ns`; size() if there is none.
  // Searches near `from` first. Chunks of the index shorter than `undivided_ns` are not searched:
  // if the time is inside such a chunk, the result is the slice after it. Adds the number of
  // visited slices and index entries to `looked_at`.
  std::size_t first_starting_at(std::int64_t time_ns, std::size_t from, std::size_t& looked_at,
                                std::int64_t undivided_ns = 0) const;

  // Adds the time of slices first to last - 1 to `time_ns`, by classes(). Visits at most as many
  // slices as two chunks have.
  void add_times(std::size_t first, std::size_t last, std::vector<std::int64_t>& time_ns,
                 std::size_t& looked_at) const;

  // Prefetches the index entry for an add_times() call with this `last`.
  void fetch_times(std::size_t last) const;

  const std::vector<std::uint16_t>& classes() const { return classes_; }  // classes of its slices
  std::size_t chunk_size() const { return chunk_; }
  std::int64_t busy_ns() const;  // total of all slices
  std::size_t held_bytes() const;

 private:
  void build_index();
  void scan(std::size_t first, std::size_t last, std::vector<std::int64_t>& time_ns) const;

  SliceColumns slices_;
  std::shared_ptr<const ClassOfKey> class_of_key_;
  std::vector<std::uint16_t> classes_;
  std::vector<std::uint16_t> number_of_class_;  // index into classes_
  std::size_t chunk_ = 1;                       // slices of one entry of the index; a power of two
  std::vector<std::int64_t> chunk_start_ns_;    // start of its first slice
  std::vector<std::int64_t> chunk_end_ns_;      // end of its last slice
  std::vector<std::int64_t> before_ns_;  // by chunk (plus one) and class: time before the chunk
};

}  // namespace mansard::figure
