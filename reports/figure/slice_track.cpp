// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/slice_track.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace mansard::figure {
namespace {

// Large enough for a small index, small enough for a fast linear scan.
constexpr std::size_t kMinChunk = 32;
constexpr std::size_t kIndexBytesPerSlice = 4;

void check(const SliceColumns& slices, const ClassOfKey& class_of_key) {
  const auto fail = [](std::size_t i, const char* what) {
    throw std::invalid_argument("slice " + std::to_string(i) + " of a track " + what);
  };
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (slices.end_ns[i] < slices.start_ns[i]) fail(i, "ends before it starts");
    if (i > 0 && slices.start_ns[i] < slices.end_ns[i - 1]) fail(i, "overlaps the one before");
    if (slices.key[i] >= class_of_key.size()) fail(i, "has a key without a class");
  }
}

}  // namespace

void SliceColumns::push_back(const Slice& slice) {
  start_ns.push_back(slice.start_ns);
  end_ns.push_back(slice.end_ns);
  key.push_back(slice.key);
  if (slice.record == Slice::kNoRecord && record.empty()) return;
  record.resize(size() - 1, Slice::kNoRecord);
  record.push_back(slice.record);
}

SliceTrack::SliceTrack(SliceColumns slices, std::shared_ptr<const ClassOfKey> class_of_key)
    : slices_(std::move(slices)), class_of_key_(std::move(class_of_key)) {
  check(slices_, *class_of_key_);
  slices_.start_ns.shrink_to_fit();
  slices_.end_ns.shrink_to_fit();
  slices_.key.shrink_to_fit();
  if (!slices_.record.empty()) slices_.record.resize(size(), Slice::kNoRecord);
  slices_.record.shrink_to_fit();
  build_index();
}

void SliceTrack::build_index() {
  constexpr std::uint16_t kNone = 0xffff;
  std::vector<std::uint16_t>& number = number_of_class_;
  for (const std::uint32_t key : slices_.key) {
    const std::uint16_t of_class = (*class_of_key_)[key];
    if (of_class >= number.size()) number.resize(of_class + 1u, kNone);
    if (number[of_class] != kNone) continue;
    number[of_class] = static_cast<std::uint16_t>(classes_.size());
    classes_.push_back(of_class);
  }
  const std::size_t entry_bytes = sizeof(std::int64_t) * (classes_.size() + 2);
  chunk_ = kMinChunk;
  while (chunk_ * kIndexBytesPerSlice < entry_bytes) chunk_ *= 2;

  const std::size_t chunks = (size() + chunk_ - 1) / chunk_;
  chunk_start_ns_.reserve(chunks);
  chunk_end_ns_.reserve(chunks);
  before_ns_.reserve((chunks + 1) * classes_.size());
  std::vector<std::int64_t> sums(classes_.size(), 0);
  for (std::size_t i = 0; i < size(); ++i) {
    if (i % chunk_ == 0) {
      chunk_start_ns_.push_back(start_ns(i));
      chunk_end_ns_.push_back(end_ns(std::min(size(), i + chunk_) - 1));
      before_ns_.insert(before_ns_.end(), sums.begin(), sums.end());
    }
    sums[number[class_of(i)]] += duration_ns(i);
  }
  before_ns_.insert(before_ns_.end(), sums.begin(), sums.end());
}

bool SliceTrack::shorter_than(std::size_t i, std::int64_t ns) const {
  const std::size_t chunk = i / chunk_;
  return chunk_end_ns_[chunk] - chunk_start_ns_[chunk] < ns || duration_ns(i) < ns;
}

std::int64_t SliceTrack::busy_ns() const {
  const auto classes = static_cast<std::ptrdiff_t>(classes_.size());
  return std::accumulate(before_ns_.end() - classes, before_ns_.end(), std::int64_t{0});
}

std::size_t SliceTrack::held_bytes() const {
  std::size_t words = 0;
  for (const auto* column :
       {&slices_.start_ns, &slices_.end_ns, &chunk_start_ns_, &chunk_end_ns_, &before_ns_}) {
    words += column->capacity();
  }
  return words * sizeof(std::int64_t) + slices_.key.capacity() * sizeof(std::uint32_t);
}

std::size_t SliceTrack::first_starting_at(std::int64_t time_ns, std::size_t from,
                                          std::size_t& looked_at, std::int64_t undivided_ns) const {
  if (from >= size()) return size();
  // Finds the chunks that start before `time_ns`: the slice is in the last of them, or is the first
  // of the next one. Exponential search, then binary search.
  const std::size_t own = from / chunk_;
  std::size_t low = own;
  std::size_t leap = 1;
  while (low + leap < chunk_start_ns_.size() && chunk_start_ns_[low + leap] < time_ns) {
    low += leap;
    leap *= 2;
    ++looked_at;
  }
  std::size_t high = std::min(low + leap, chunk_start_ns_.size());
  ++looked_at;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (chunk_start_ns_[middle] < time_ns ? low : high) = middle;
    ++looked_at;
  }
  const bool has_next = low + 1 < chunk_start_ns_.size();
  if (has_next && chunk_start_ns_[low + 1] - chunk_start_ns_[low] < undivided_ns) {
    return chunk_start_ns_[low] < time_ns ? (low + 1) * chunk_ : std::max(from, low * chunk_);
  }
  const auto starts = slices_.start_ns.begin();
  const auto first = starts + static_cast<std::ptrdiff_t>(std::max(from, low * chunk_));
  const auto last = starts + static_cast<std::ptrdiff_t>(std::min(size(), (low + 1) * chunk_));
  for (std::ptrdiff_t left = last - first; left > 0; left /= 2) ++looked_at;
  return static_cast<std::size_t>(std::lower_bound(first, last, time_ns) - starts);
}

void SliceTrack::fetch_times(std::size_t last) const {
  constexpr std::size_t kEntriesPerLine = 64 / sizeof(std::int64_t);
  const std::int64_t* row = before_ns_.data() + last / chunk_ * classes_.size();
  for (std::size_t i = 0; i < classes_.size(); i += kEntriesPerLine) __builtin_prefetch(row + i);
}

void SliceTrack::scan(std::size_t first, std::size_t last,
                      std::vector<std::int64_t>& time_ns) const {
  for (std::size_t i = first; i < last; ++i) {
    time_ns[number_of_class_[class_of(i)]] += duration_ns(i);
  }
}

void SliceTrack::add_times(std::size_t first, std::size_t last, std::vector<std::int64_t>& time_ns,
                           std::size_t& looked_at) const {
  const std::size_t whole_first = (first + chunk_ - 1) / chunk_;
  const std::size_t whole_last = last / chunk_;
  if (whole_first >= whole_last) {
    looked_at += last - first;
    return scan(first, last, time_ns);
  }
  scan(first, whole_first * chunk_, time_ns);
  scan(whole_last * chunk_, last, time_ns);
  looked_at += whole_first * chunk_ - first + last - whole_last * chunk_ + 2;
  const std::int64_t* from = &before_ns_[whole_first * classes_.size()];
  const std::int64_t* to = &before_ns_[whole_last * classes_.size()];
  for (std::size_t i = 0; i < classes_.size(); ++i) time_ns[i] += to[i] - from[i];
}

}  // namespace mansard::figure
