// SPDX-License-Identifier: Apache-2.0
// Which thread and register of a warpgroup holds which sum of wgmma's 64 x 256 tile.
// Source: PTX ISA 8.x, "Asynchronous Warpgroup Level Matrix Instructions", fragments of D.
#pragma once

namespace mansard::wgmma {

inline constexpr int kM = 64;
inline constexpr int kN = 256;
inline constexpr int kThreads = 128;

template <typename Accumulators>
inline constexpr int kRegisters = (kM * kN) / (kThreads * Accumulators::kPerRegister);

// Row and column in the 64 x 256 tile of accumulator `i` of thread `t` of the warpgroup. Where a
// register packs two, they are accumulators 2r and 2r + 1.
constexpr int accumulator_row(int t, int i) {
  return 16 * (t / 32) + (t % 32) / 4 + 8 * ((i / 2) % 2);
}
constexpr int accumulator_column(int t, int i) { return 8 * (i / 4) + 2 * (t % 4) + i % 2; }

}  // namespace mansard::wgmma
