// SPDX-License-Identifier: Apache-2.0
// A random order of the lines of a working set as a function of the position. It needs no table,
// which would occupy the caches, and a check finds the successor of any line directly.
#pragma once

#include <bit>
#include <cstdint>

#include "kernels/ceilings/cpu/fill.h"

namespace mansard::kernels {

class LineOrder {
 public:
  // Requires at least 2 lines.
  LineOrder(std::uint64_t lines, std::uint64_t seed)
      : lines_(lines), bits_(std::bit_width(lines - 1)), mask_((std::uint64_t{1} << bits_) - 1) {
    for (int i = 0; i < kStages; ++i) {
      multipliers_[i] = splitmix64(seed + static_cast<std::uint64_t>(2 * i)) | 1;
      addends_[i] = splitmix64(seed + static_cast<std::uint64_t>(2 * i + 1));
    }
  }

  // The line at `place`; each line from 0 to lines - 1 has exactly one place. Permutes the next
  // power of two, and repeats while the result is out of range, on average at most twice.
  std::uint64_t line(std::uint64_t place) const {
    do place = scramble(place);
    while (place >= lines_);
    return place;
  }

 private:
  static constexpr int kStages = 4;

  // Every stage is invertible: odd factors have inverses modulo a power of two, and XOR of a number
  // with its own upper part preserves that part.
  std::uint64_t scramble(std::uint64_t x) const {
    for (int i = 0; i < kStages; ++i) {
      x = (x * multipliers_[i] + addends_[i]) & mask_;
      x ^= x >> (bits_ / 2 + 1);
    }
    return x;
  }

  std::uint64_t lines_;
  int bits_;
  std::uint64_t mask_;
  std::uint64_t multipliers_[kStages];
  std::uint64_t addends_[kStages];
};

}  // namespace mansard::kernels
