// SPDX-License-Identifier: Apache-2.0
// Mapping of wgmma tiles to threads and registers of a warpgroup: the 64 x 256 accumulators, and
// the 64 rows of A. Source: PTX ISA 8.x, "Asynchronous Warpgroup Level Matrix Instructions",
// fragments of D and A.
#pragma once

namespace mansard::kernels::wgmma {

inline constexpr int kM = 64;
inline constexpr int kN = 256;
inline constexpr int kThreads = 128;

template <typename Accumulators>
inline constexpr int kRegisters = (kM * kN) / (kThreads * Accumulators::kPerRegister);

// Row and column, in the 64 x 256 tile, of accumulator `i` of thread `t` of the warpgroup. If a
// register packs two accumulators, they are 2r and 2r + 1.
constexpr int accumulator_row(int t, int i) {
  return 16 * (t / 32) + (t % 32) / 4 + 8 * ((i / 2) % 2);
}
constexpr int accumulator_column(int t, int i) { return 8 * (i / 4) + 2 * (t % 4) + i % 2; }

// Row and first byte (within the 32 bytes of one instruction's K) of the 4 bytes in register `r` of
// A, for elements of any width.
inline constexpr int kRegistersA = 4;
constexpr int operand_row(int t, int r) { return 16 * (t / 32) + (t % 32) / 4 + 8 * (r % 2); }
constexpr int operand_byte(int t, int r) { return 16 * (r / 2) + 4 * (t % 4); }

}  // namespace mansard::kernels::wgmma
