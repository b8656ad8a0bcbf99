// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/tile_loops.h"

// The header of the tile intrinsics is amxtileintrin.h in GCC and amxintrin.h in Clang; both then
// declare the products.
#if defined(__x86_64__) && (__has_include(<amxtileintrin.h>) || __has_include(<amxintrin.h>))
#include <immintrin.h>
#define MANSARD_HAVE_AMX 1
#endif

namespace mansard::kernels {

#if defined(MANSARD_HAVE_AMX)
namespace {

#define MANSARD_TILE_TARGET __attribute__((target("avx2,amx-tile,amx-int8,amx-bf16")))

constexpr int kRows = 16;
constexpr int kRowBytes = 64;
constexpr int kTileBytes = kRows * kRowBytes;
constexpr int kTiles = 8;
constexpr int kSumTiles = 4;
constexpr int kLanes = kTileBytes / 4;

// Intel SDM, volume 1, chapter 18: the operand of LDTILECFG.
struct alignas(64) TileConfiguration {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileConfiguration) == 64);

// Tiles 0 to 3 hold the sums, 4 and 5 the left operands, 6 and 7 the right operands. The operands
// stay loaded, because loads would alternate with the products.
MANSARD_TILE_TARGET void load_operands(const void* left, const void* right) {
  TileConfiguration configuration;
  for (int tile = 0; tile < kTiles; ++tile) {
    configuration.row_bytes[tile] = kRowBytes;
    configuration.rows[tile] = kRows;
  }
  // Some compilers' intrinsics do not declare all memory that they read.
  asm volatile("" ::"r"(&configuration), "r"(left), "r"(right) : "memory");
  _tile_loadconfig(&configuration);
  const char* const a = static_cast<const char*>(left);
  const char* const b = static_cast<const char*>(right);
  _tile_loadd(4, a, kRowBytes);
  _tile_loadd(5, a + kTileBytes, kRowBytes);
  _tile_loadd(6, b, kRowBytes);
  _tile_loadd(7, b + kTileBytes, kRowBytes);
}

MANSARD_TILE_TARGET void clear_sums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

MANSARD_TILE_TARGET void add_sums_to(std::uint32_t* totals) {
  typedef std::uint32_t Vector __attribute__((vector_size(32), may_alias));
  alignas(64) std::uint32_t sums[kSumTiles * kLanes];
  _tile_stored(0, sums, kRowBytes);
  _tile_stored(1, sums + kLanes, kRowBytes);
  _tile_stored(2, sums + 2 * kLanes, kRowBytes);
  _tile_stored(3, sums + 3 * kLanes, kRowBytes);
  asm volatile("" ::"r"(sums) : "memory");
  Vector* const total = reinterpret_cast<Vector*>(totals);
  const Vector* const sum = reinterpret_cast<const Vector*>(sums);
  constexpr int kVectors = kSumTiles * kTileBytes / sizeof(Vector);
  for (int i = 0; i < kVectors; ++i) total[i] = 3u * total[i] + sum[i];
}

constexpr int kInt8Steps = 4096;
constexpr int kBf16Steps = 2048;

MANSARD_TILE_TARGET void advance_int8(const void* left, const void* right, std::uint32_t* totals,
                                      std::int64_t rounds) {
  load_operands(left, right);
  for (std::int64_t round = 0; round < rounds; ++round) {
    clear_sums();
    for (int step = 0; step < kInt8Steps; ++step) {
      _tile_dpbssd(0, 4, 6);
      _tile_dpbssd(1, 4, 7);
      _tile_dpbssd(2, 5, 6);
      _tile_dpbssd(3, 5, 7);
    }
    add_sums_to(totals);
  }
  _tile_release();
}

MANSARD_TILE_TARGET void advance_bf16(const void* left, const void* right, std::uint32_t* totals,
                                      std::int64_t rounds) {
  load_operands(left, right);
  for (std::int64_t round = 0; round < rounds; ++round) {
    clear_sums();
    for (int step = 0; step < kBf16Steps; ++step) {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
    add_sums_to(totals);
  }
  _tile_release();
}

// A core starts a product of full tiles every 16 cycles: 2048 INT8 operations or 1024 BF16 FLOP per
// cycle (Intel 64 and IA-32 Architectures Optimization Reference Manual, chapter "Intel Advanced
// Matrix Extensions"). BF16 numerators of 4 bits keep 2048 steps exact. Adding to the totals takes
// about 1200 cycles, which would cost 4 % with rounds of 512 steps.
constexpr DotLoop kInt8 = {.instruction = "tdpbssd",
                           .precision = Precision::int8,
                           .unit = DotUnit::tile,
                           .feature = CpuFeature::amx_int8,
                           .set = InstructionSet::avx512,
                           .shape = {.lanes = 256, .depth = 64, .columns = 16, .packed = 4},
                           .left = 2,
                           .right = 2,
                           .steps = kInt8Steps,
                           .lowest_left = -127,
                           .largest = 127,
                           .starts_per_cycle = 1.0 / 16,
                           .advance = advance_int8};
constexpr DotLoop kBf16 = {.instruction = "tdpbf16ps",
                           .precision = Precision::bf16,
                           .unit = DotUnit::tile,
                           .feature = CpuFeature::amx_bf16,
                           .set = InstructionSet::avx512,
                           .shape = {.lanes = 256, .depth = 32, .columns = 16, .packed = 2},
                           .left = 2,
                           .right = 2,
                           .steps = kBf16Steps,
                           .lowest_left = -15,
                           .largest = 15,
                           .starts_per_cycle = 1.0 / 16,
                           .advance = advance_bf16};
static_assert(exact_in_fp32(kBf16));
static_assert(kSumTiles * kLanes <= kMaxDotTotals && 2 * kTileBytes <= kMaxDotOperandBytes);

}  // namespace

std::vector<DotLoop> tile_loops() { return {kInt8, kBf16}; }

#else

std::vector<DotLoop> tile_loops() { return {}; }

#endif

}  // namespace mansard::kernels
