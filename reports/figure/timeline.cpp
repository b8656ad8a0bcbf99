// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/timeline.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mansard::figure {
namespace {

class Blocks {
 public:
  Blocks(const SliceTrack& track, const TimeScale& scale, const Rect& plot)
      : track_(track),
        scale_(scale),
        plot_(plot),
        cell_ns_(std::max<std::int64_t>(1, std::llround(kMergeWidth_px * scale.ns_per_px()))),
        class_ns_(track.classes().size()) {}

  std::vector<TimelineBlock> visible() {
    const std::size_t first = first_visible();
    const std::size_t end = behind_last_visible(first);
    std::size_t next = first;
    for (std::size_t i = first; i < end; i = next) {
      next = is_narrow(i) ? narrow_until(i, end) : i + 1;
      TimelineBlock& block = blocks_.emplace_back();
      block.first = i;
      block.count = next - i;
      if (block.count > 1) track_.fetch_times(next);
    }
    // A separate loop after the searches, when most prefetches have completed.
    for (TimelineBlock& block : blocks_) fill(block);
    return std::move(blocks_);
  }
  std::size_t looked_at() const { return looked_at_; }

 private:
  // A slice is in the window if it ends after the window's start, or starts there.
  std::size_t first_visible() {
    const std::size_t starting = track_.first_starting_at(scale_.start_ns(), 0, looked_at_);
    const bool reaches_in = starting > 0 && track_.end_ns(starting - 1) > scale_.start_ns();
    return reaches_in ? starting - 1 : starting;
  }

  // A slice that starts at the window's end is outside, unless its length is zero: it may be the
  // last event.
  std::size_t behind_last_visible(std::size_t first) {
    const std::size_t at_end = track_.first_starting_at(scale_.end_ns(), first, looked_at_);
    if (scale_.end_ns() == INT64_MAX) return track_.size();
    const std::size_t after = track_.first_starting_at(scale_.end_ns() + 1, at_end, looked_at_);
    return after > at_end && track_.duration_ns(after - 1) > 0 ? after - 1 : after;
  }

  bool is_narrow(std::size_t i) const { return track_.shorter_than(i, cell_ns_); }

  // One past the last narrow slice that starts in the cell of slice `i`.
  std::size_t narrow_until(std::size_t i, std::size_t end) {
    const auto start = static_cast<std::uint64_t>(track_.begin_ns(i));
    const auto cell = static_cast<std::uint64_t>(cell_ns_);
    const auto in_cell = (start - static_cast<std::uint64_t>(scale_.limits().start_ns)) % cell;
    const auto cell_end = static_cast<std::int64_t>(start + (cell - in_cell));
    const std::size_t next =
        std::min(end, track_.first_starting_at(cell_end, i + 1, looked_at_, cell_ns_ / 2));
    // A slice at least as long as a cell ends outside of it, so only the last one can be.
    return next - i > 1 && !is_narrow(next - 1) ? next - 1 : next;
  }

  void fill(TimelineBlock& block) {
    block.start_ns = track_.begin_ns(block.first);
    block.end_ns = track_.done_ns(block.first + block.count);
    ++looked_at_;
    if (block.count == 1) {
      block.busy_ns = block.end_ns - block.start_ns;
      block.of_class = track_.class_of(block.first);
    } else {
      sum_classes(block);
    }
    block.left_px = std::clamp(scale_.map(block.start_ns), plot_.left, plot_.right);
    block.right_px = std::clamp(scale_.map(block.end_ns), plot_.left, plot_.right);
    constexpr double kTimelineLeastWidth_px = 1;
    if (block.right_px - block.left_px < kTimelineLeastWidth_px) {
      block.left_px = std::min(block.left_px, plot_.right - kTimelineLeastWidth_px);
      block.right_px = block.left_px + kTimelineLeastWidth_px;
    }
  }

  void sum_classes(TimelineBlock& block) {
    std::ranges::fill(class_ns_, 0);
    track_.add_times(block.first, block.first + block.count, class_ns_, looked_at_);
    block.busy_ns = std::accumulate(class_ns_.begin(), class_ns_.end(), std::int64_t{0});
    const auto most = std::ranges::max_element(class_ns_) - class_ns_.begin();
    block.of_class = track_.classes()[static_cast<std::size_t>(most)];
  }

  const SliceTrack& track_;
  const TimeScale& scale_;
  const Rect& plot_;
  std::int64_t cell_ns_;
  std::vector<std::int64_t> class_ns_;  // time per class in a block, by the track's classes
  std::vector<TimelineBlock> blocks_;
  std::size_t looked_at_ = 0;
};

}  // namespace

double TimelineBlock::busy_share() const {
  const double length = difference_ns(end_ns, start_ns);
  return length > 0 ? static_cast<double>(busy_ns) / length : 1;
}

std::vector<TimelineBlock> visible_blocks(const SliceTrack& track, const TimeScale& scale,
                                          const Rect& plot, std::size_t* looked_at) {
  Blocks blocks(track, scale, plot);
  std::vector<TimelineBlock> visible = blocks.visible();
  if (looked_at != nullptr) *looked_at += blocks.looked_at();
  return visible;
}

const TimelineBlock* block_at(std::span<const TimelineBlock> blocks, double x_px, double slack_px) {
  const auto after = static_cast<std::size_t>(
      std::ranges::upper_bound(blocks, x_px, {}, &TimelineBlock::left_px) - blocks.begin());
  const TimelineBlock* found = nullptr;
  double found_px = slack_px;
  // Candidates: the slice that starts after the pixel, and the one before, which may cover the
  // pixel. The latter is last, so that it wins if both are equally near.
  for (const std::size_t i : {after, after - 1}) {
    if (i >= blocks.size()) continue;
    const double gap_px = std::max({0.0, blocks[i].left_px - x_px, x_px - blocks[i].right_px});
    if (gap_px > found_px) continue;
    found = &blocks[i];
    found_px = gap_px;
  }
  return found;
}

}  // namespace mansard::figure
