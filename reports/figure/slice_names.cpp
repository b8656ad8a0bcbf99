// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/slice_names.h"

#include "reports/figure/timeline_metrics.h"
#include "support/text.h"

namespace mansard::figure {
namespace {

constexpr std::size_t kMaxKept = 20'000;
constexpr std::size_t kMaxLength = 512;  // length of names; screens do not show more

// Truncates to at most `columns` with an ellipsis at the end.
std::string truncate_end(std::string_view text, int columns) {
  const auto is_inside_character = [](char c) { return (c & 0xC0) == 0x80; };
  std::size_t end = 0;
  for (std::size_t next = 0; next < text.size();) {
    do ++next;
    while (next < text.size() && is_inside_character(text[next]));
    if (display_width(text.substr(0, next)) >= columns) break;
    end = next;
  }
  return std::string(text.substr(0, end)) + "\u2026";
}

// Kernel names differ at both ends, so they are shortened in the middle; with little room only the
// start is kept.
std::string shorten(std::string_view text, int columns) {
  return columns < kBothEnds_columns ? truncate_end(text, columns) : truncate_middle(text, columns);
}

}  // namespace

SliceNames::SliceNames(const Timeline& timeline, MeasureText measure)
    : timeline_(timeline), measure_(std::move(measure)) {}

const SliceNames::Whole& SliceNames::whole(std::uint32_t key) {
  const auto [found, is_new] = whole_.try_emplace(key);
  Whole& name = found->second;
  if (is_new) {
    name.text = one_line(std::string_view(timeline_.names[key].text).substr(0, kMaxLength));
    name.width_px = measure_(name.text).width;
    name.columns = display_width(name.text);
  }
  return name;
}

const SliceNames::Name& SliceNames::fitted(std::uint32_t key, double room_px) {
  static const Name none;
  const Whole& name = whole(key);
  if (name.width_px <= room_px) return name;
  // Estimates the number of columns from their mean width, which is the same for many boxes.
  const double column_px = name.width_px / std::max(1, name.columns);
  const int columns = static_cast<int>(room_px / column_px);
  if (columns < kMinColumns) return none;
  if (shortened_.size() > kMaxKept) shortened_.clear();
  const auto [found, is_new] =
      shortened_.try_emplace(std::uint64_t{key} << 32 | static_cast<std::uint32_t>(columns));
  Name& shown = found->second;
  if (is_new) {
    // Must fit the narrowest box with this number of columns.
    const double least_px = columns * column_px;
    int fits = columns;
    do {
      shown.text = shorten(name.text, fits);
      shown.width_px = measure_(shown.text).width;
    } while (shown.width_px > least_px && --fits >= kMinColumns);
    if (fits < kMinColumns) shown = {};
  }
  return shown;
}

}  // namespace mansard::figure
