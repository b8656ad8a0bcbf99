// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace mansard {

// Kernel signatures on the page, those of most time first; it counts what it leaves out. A page of
// this many rows stays under a megabyte and opens at once, and `mansard analyze` prints them all.
inline constexpr std::size_t kMaxPageRows = 1000;

}  // namespace mansard
