// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mansard::reports {

// Kernel signatures on the page, those of most time first; it counts what it leaves out. A page of
// this many rows stays under a megabyte and opens at once, and `mansard analyze` prints them all.
inline constexpr std::size_t kMaxPageRows = 1000;

// Rows of a table in an analysis that is folded away, where a row is often a point of a figure
// above.
inline constexpr std::size_t kMaxPageFindingRows = 50;

// What the interactive timeline holds. A page with all of these is below five megabytes.
inline constexpr std::size_t kMaxPageLaunches = 100'000;
inline constexpr std::size_t kMaxPageCopies = 20'000;
inline constexpr std::size_t kMaxPageRanges = 20'000;
inline constexpr std::size_t kMaxPageCalls = 5'000;
inline constexpr std::size_t kMaxPageSamples = 20'000;

}  // namespace mansard::reports
