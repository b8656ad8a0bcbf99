// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/dot_loops.h"

#include "kernels/device/tile_loops.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace mansard::kernels {
namespace {

constexpr int kIntegerSteps = 1024;

// 5 x 4 chains fill the 32 registers of AVX-512 and NEON and cover a latency of 5 cycles with two
// units (four on NEON); 3 x 4 fill AVX2's 16.
#if defined(__x86_64__)

// Left operands are unsigned bytes. vpmaddubsw needs two products to fit in 16 bits and therefore
// 7-bit operands; the others use the same data. Fewer chains, because only the addition belongs to
// a chain and intermediate products take registers.
#define MANSARD_DOT_NAMESPACE avx2_bytes
#define MANSARD_DOT_TARGET __attribute__((target("avx2")))
#define MANSARD_DOT_REGISTER "x"
#define MANSARD_DOT_PRODUCT(sums, left, right)                                                \
  _mm256_add_epi32((__m256i)(sums),                                                           \
                   _mm256_madd_epi16(_mm256_maddubs_epi16((__m256i)(left), (__m256i)(right)), \
                                     _mm256_set1_epi16(1)))
#define MANSARD_DOT_DESCRIPTION                                                        \
  {                                                                                    \
    .instruction = "vpmaddubsw, vpmaddwd, vpaddd (ymm)", .precision = Precision::int8, \
    .feature = CpuFeature::avx2, .set = InstructionSet::avx2_fma,                      \
    .shape = {.lanes = 8, .depth = 4}, .left = 2, .right = 3, .steps = kIntegerSteps,  \
    .lowest_left = 0, .largest = 127                                                   \
  }
#include "kernels/device/dot_loops.inc"

#if __has_include(<avxvnniintrin.h>)
#define MANSARD_HAVE_AVX_VNNI 1
#define MANSARD_DOT_NAMESPACE avx_vnni
#define MANSARD_DOT_TARGET __attribute__((target("avx2,avxvnni")))
#define MANSARD_DOT_REGISTER "x"
#define MANSARD_DOT_RIGHT_IN_MEMORY
#define MANSARD_DOT_PRODUCT(sums, left, right) \
  _mm256_dpbusd_avx_epi32((__m256i)(sums), (__m256i)(left), (__m256i)(right))
#define MANSARD_DOT_DESCRIPTION                                                       \
  {                                                                                   \
    .instruction = "vpdpbusd (ymm)", .precision = Precision::int8,                    \
    .feature = CpuFeature::avx_vnni, .set = InstructionSet::avx2_fma,                 \
    .shape = {.lanes = 8, .depth = 4}, .left = 3, .right = 4, .steps = kIntegerSteps, \
    .lowest_left = 0, .largest = 127                                                  \
  }
#include "kernels/device/dot_loops.inc"
#endif

#if __has_include(<avx512vnniintrin.h>)
#define MANSARD_HAVE_AVX512_VNNI 1
#define MANSARD_DOT_NAMESPACE avx512_vnni
#define MANSARD_DOT_TARGET __attribute__((target("avx512f,avx512vnni")))
#define MANSARD_DOT_REGISTER "v"
#define MANSARD_DOT_PRODUCT(sums, left, right) \
  _mm512_dpbusd_epi32((__m512i)(sums), (__m512i)(left), (__m512i)(right))
#define MANSARD_DOT_DESCRIPTION                                                        \
  {                                                                                    \
    .instruction = "vpdpbusd (zmm)", .precision = Precision::int8,                     \
    .feature = CpuFeature::avx512_vnni, .set = InstructionSet::avx512,                 \
    .shape = {.lanes = 16, .depth = 4}, .left = 5, .right = 4, .steps = kIntegerSteps, \
    .lowest_left = 0, .largest = 127                                                   \
  }
#include "kernels/device/dot_loops.inc"
#endif

#if __has_include(<avx512bf16intrin.h>)
#define MANSARD_HAVE_AVX512_BF16 1
#define MANSARD_DOT_NAMESPACE avx512_bf16
#define MANSARD_DOT_TARGET __attribute__((target("avx512f,avx512bf16")))
#define MANSARD_DOT_REGISTER "v"
#define MANSARD_DOT_PRODUCT(sums, left, right) \
  _mm512_dpbf16_ps((__m512)(sums), (__m512bh)(left), (__m512bh)(right))
#define MANSARD_DOT_DESCRIPTION                                                                   \
  {                                                                                               \
    .instruction = "vdpbf16ps (zmm)", .precision = Precision::bf16,                               \
    .feature = CpuFeature::avx512_bf16, .set = InstructionSet::avx512,                            \
    .shape = {.lanes = 16, .depth = 2}, .left = 5, .right = 4, .steps = 512, .lowest_left = -127, \
    .largest = 127                                                                                \
  }
#include "kernels/device/dot_loops.inc"
#endif

// Clang up to version 15 declares these only if the whole file is compiled for them.
#elif defined(__aarch64__) && (!defined(__clang__) || __clang_major__ >= 16)
#define MANSARD_HAVE_NEON_DOT 1

#define MANSARD_DOT_NAMESPACE neon_sdot
#define MANSARD_DOT_TARGET __attribute__((target("arch=armv8.2-a+dotprod")))
#define MANSARD_DOT_REGISTER "w"
#define MANSARD_DOT_PRODUCT(sums, left, right) \
  vdotq_s32((int32x4_t)(sums), (int8x16_t)(left), (int8x16_t)(right))
#define MANSARD_DOT_DESCRIPTION                                                               \
  {                                                                                           \
    .instruction = "sdot", .precision = Precision::int8, .feature = CpuFeature::neon_dotprod, \
    .set = InstructionSet::neon, .shape = {.lanes = 4, .depth = 4}, .left = 5, .right = 4,    \
    .steps = kIntegerSteps, .lowest_left = -127, .largest = 127                               \
  }
#include "kernels/device/dot_loops.inc"

#define MANSARD_DOT_NAMESPACE neon_smmla
#define MANSARD_DOT_TARGET __attribute__((target("arch=armv8.2-a+i8mm")))
#define MANSARD_DOT_REGISTER "w"
#define MANSARD_DOT_PRODUCT(sums, left, right) \
  vmmlaq_s32((int32x4_t)(sums), (int8x16_t)(left), (int8x16_t)(right))
#define MANSARD_DOT_DESCRIPTION                                                                \
  {                                                                                            \
    .instruction = "smmla", .precision = Precision::int8, .feature = CpuFeature::neon_i8mm,    \
    .set = InstructionSet::neon, .shape = {.lanes = 4, .depth = 8, .columns = 2, .packed = 8}, \
    .left = 5, .right = 4, .steps = kIntegerSteps, .lowest_left = -127, .largest = 127         \
  }
#include "kernels/device/dot_loops.inc"

#define MANSARD_DOT_NAMESPACE neon_bfdot
#define MANSARD_DOT_TARGET __attribute__((target("arch=armv8.2-a+bf16")))
#define MANSARD_DOT_REGISTER "w"
#define MANSARD_DOT_PRODUCT(sums, left, right) \
  vbfdotq_f32((float32x4_t)(sums), (bfloat16x8_t)(left), (bfloat16x8_t)(right))
#define MANSARD_DOT_DESCRIPTION                                                             \
  {                                                                                         \
    .instruction = "bfdot", .precision = Precision::bf16, .feature = CpuFeature::neon_bf16, \
    .set = InstructionSet::neon, .shape = {.lanes = 4, .depth = 2}, .left = 5, .right = 4,  \
    .steps = 512, .lowest_left = -127, .largest = 127                                       \
  }
#include "kernels/device/dot_loops.inc"

#define MANSARD_DOT_NAMESPACE neon_bfmmla
#define MANSARD_DOT_TARGET __attribute__((target("arch=armv8.2-a+bf16")))
#define MANSARD_DOT_REGISTER "w"
#define MANSARD_DOT_PRODUCT(sums, left, right) \
  vbfmmlaq_f32((float32x4_t)(sums), (bfloat16x8_t)(left), (bfloat16x8_t)(right))
#define MANSARD_DOT_DESCRIPTION                                                                \
  {                                                                                            \
    .instruction = "bfmmla", .precision = Precision::bf16, .feature = CpuFeature::neon_bf16,   \
    .set = InstructionSet::neon, .shape = {.lanes = 4, .depth = 4, .columns = 2, .packed = 4}, \
    .left = 5, .right = 4, .steps = 256, .lowest_left = -127, .largest = 127                   \
  }
#include "kernels/device/dot_loops.inc"
#endif

std::vector<DotLoop> every_loop() {
  std::vector<DotLoop> loops = tile_loops();
#if defined(__x86_64__)
  loops.push_back(avx2_bytes::loop());
#endif
#if defined(MANSARD_HAVE_AVX_VNNI)
  loops.push_back(avx_vnni::loop());
#endif
#if defined(MANSARD_HAVE_AVX512_VNNI)
  loops.push_back(avx512_vnni::loop());
#endif
#if defined(MANSARD_HAVE_AVX512_BF16)
  loops.push_back(avx512_bf16::loop());
#endif
#if defined(MANSARD_HAVE_NEON_DOT)
  loops.push_back(neon_sdot::loop());
  loops.push_back(neon_smmla::loop());
  loops.push_back(neon_bfdot::loop());
  loops.push_back(neon_bfmmla::loop());
#endif
  return loops;
}

}  // namespace

const std::vector<DotLoop>& dot_loops() {
  static const std::vector<DotLoop> loops = every_loop();
  return loops;
}

DotChoice choose_dot_loop(Precision precision, DotUnit unit, InstructionSet widest) {
  DotChoice choice;
  for (const DotLoop& loop : dot_loops()) {
    if (loop.precision != precision || loop.unit != unit) continue;
    std::string why = feature_missing(loop.feature);
    if (why.empty() && loop.set > widest) {
      why = "needs the registers of " + std::string(to_string(loop.set)) +
            ", but this device is limited to " + std::string(to_string(widest));
    }
    if (why.empty()) {
      choice = {&loop, ""};
    } else if (choice.loop == nullptr && choice.why.empty()) {
      choice.why = why;  // the missing feature of the least demanding loop
    }
  }
  if (choice.loop == nullptr && choice.why.empty()) {
    choice.why = "this build has no " + std::string(info(precision).label) + " code for " +
                 (unit == DotUnit::tile ? "matrix tiles" : "vectors") + " of this CPU";
  }
  return choice;
}

}  // namespace mansard::kernels
