// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mansard::reports {

// Maximum number of kernel signatures on the page. It shows those with the most time and counts the
// omitted ones. With this limit a page stays below a megabyte; `mansard analyze` prints all of
// them.
inline constexpr std::size_t kMaxPageRows = 1000;

// Maximum number of rows of a table in a collapsed analysis.
inline constexpr std::size_t kMaxPageFindingRows = 30;

// Limits of the interactive timeline. A page that reaches all of them is smaller than two
// megabytes: the data is compressed.
inline constexpr std::size_t kMaxPageLaunches = 100'000;
inline constexpr std::size_t kMaxPageCopies = 20'000;
inline constexpr std::size_t kMaxPageRanges = 20'000;
inline constexpr std::size_t kMaxPageCalls = 4'000;
inline constexpr std::size_t kMaxPageSamples = 20'000;

}  // namespace mansard::reports
