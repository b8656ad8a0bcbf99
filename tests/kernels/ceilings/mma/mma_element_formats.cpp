// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "kernels/ceilings/mma/element_formats.h"
#include "kernels/formats/bf16.h"
#include "kernels/formats/e2m1.h"
#include "kernels/formats/fp8_format.h"
#include "kernels/vocabulary/precision.h"

#if MANSARD_HAVE_CUDA
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

namespace mansard::kernels {
namespace {

// Every code of a format that is a number, except -0.
template <typename Element>
void expect_round_trips(std::uint32_t codes, int padding = 0) {
  for (std::uint32_t c = 0; c < codes; ++c) {
    const std::uint32_t code = c << padding;
    const double value = Element::decode(code);
    if (std::isnan(value)) continue;
    EXPECT_EQ(Element::encode(value), code) << value;
  }
}

TEST(ElementFormats, EveryCodeSurvivesTheRoundTrip) {
  expect_round_trips<element::E2m1>(1u << 4);
  expect_round_trips<element::E4m3>(1u << 8);
  expect_round_trips<element::E5m2>(1u << 8);
  expect_round_trips<element::Fp16>(1u << 16);
  expect_round_trips<element::Bf16>(1u << 16);
  expect_round_trips<element::Tf32>(1u << 19, 13);
}

TEST(ElementFormats, SaturateAtThePrecisionsLargestValue) {
  const auto largest = [](Precision p) { return info(p).max_finite; };
  EXPECT_EQ(element::E2m1::decode(element::E2m1::encode(1e300)), largest(Precision::nvfp4));
  EXPECT_EQ(element::E4m3::decode(element::E4m3::encode(-1e300)), -largest(Precision::fp8_e4m3));
  EXPECT_EQ(element::E5m2::decode(element::E5m2::encode(1e300)), largest(Precision::fp8_e5m2));
  EXPECT_EQ(element::Fp16::decode(element::Fp16::encode(1e300)), largest(Precision::fp16));
  EXPECT_EQ(element::Bf16::decode(element::Bf16::encode(1e300)), largest(Precision::bf16));
  EXPECT_EQ(element::Tf32::decode(element::Tf32::encode(1e300)), largest(Precision::tf32));
  EXPECT_EQ(element::Int8::decode(element::Int8::encode(-1e300)), -largest(Precision::int8));
}

TEST(ElementFormats, HaveThePrecisionsWidth) {
  EXPECT_EQ(element::E2m1::kBits, info(Precision::mxfp4).bits);
  EXPECT_EQ(element::E4m3::kBits, info(Precision::mxfp8).bits);
  EXPECT_EQ(element::E5m2::kBits, info(Precision::fp8_e5m2).bits);
  EXPECT_EQ(element::Fp16::kBits, info(Precision::fp16).bits);
  EXPECT_EQ(element::Bf16::kBits, info(Precision::bf16).bits);
  EXPECT_EQ(element::Fp64::kBits, info(Precision::fp64).bits);
  EXPECT_EQ(element::Int8::kBits, info(Precision::int8).bits);
  EXPECT_EQ(element::Tf32::kBits, 32);
}

TEST(ElementFormats, NanStaysNan) {
  EXPECT_TRUE(std::isnan(element::Fp16::decode(0x7c00)));  // infinity is not finite either
  EXPECT_TRUE(std::isnan(element::Fp16::decode(0xffff)));
  EXPECT_TRUE(std::isnan(element::E4m3::decode(0x7f)));
}

TEST(ElementFormats, RoundLikeTheQuantizationReference) {
  std::mt19937 engine(7);
  std::normal_distribution<float> normal(0.0f, 3.0f);
  for (int i = 0; i < 20000; ++i) {
    const float x = i % 2 == 0 ? normal(engine) : normal(engine) * 0x1p-9f;
    EXPECT_EQ(element::E2m1::encode(x) & 7, to_e2m1(x) & 7) << x;
    EXPECT_EQ(element::E4m3::encode(x), fp8::encode(fp8::Format::e4m3, x)) << x;
    EXPECT_EQ(element::Bf16::encode(x), bf16::from_float(x).bits) << x;
  }
}

TEST(ElementFormats, TiesGoToTheEvenCode) {
  EXPECT_EQ(element::E2m1::encode(2.5), element::E2m1::encode(2.0));
  EXPECT_EQ(element::E2m1::encode(3.5), element::E2m1::encode(4.0));
  EXPECT_EQ(element::E2m1::encode(0.25), 0u);
  EXPECT_EQ(element::Tf32::encode(1 + 0x1p-11), element::Tf32::encode(1.0));
  EXPECT_EQ(element::Tf32::encode(1 + 3 * 0x1p-11), element::Tf32::encode(1 + 0x1p-9));
  EXPECT_EQ(element::Tf32::encode(-1.0), 0xbf800000u);
  EXPECT_EQ(element::Int8::encode(2.5), 2u);
  EXPECT_EQ(element::Int8::encode(-3.0), 0xfdu);
}

TEST(ElementFormats, ScalesNearOneAndAtTheirEnds) {
  EXPECT_EQ(element::Ue8m0::decode(element::Ue8m0::kOne), 1.0);
  EXPECT_EQ(element::Ue8m0::decode(element::Ue8m0::kFirst), 0.25);
  EXPECT_EQ(element::Ue8m0::decode(element::Ue8m0::kLast), 4.0);
  EXPECT_EQ(element::Ue4m3::decode(element::Ue4m3::kOne), 1.0);
  EXPECT_EQ(element::Ue4m3::decode(element::Ue4m3::kFirst), 0.5);
  EXPECT_EQ(element::Ue4m3::decode(element::Ue4m3::kLast), 3.75);
}

#if MANSARD_HAVE_CUDA
TEST(ElementFormats, DecodeAsTheCudaHeadersDo) {
  for (std::uint32_t code = 0; code < 256; ++code) {
    const auto cuda = [code](__nv_fp8_interpretation_t format) {
      const auto byte = static_cast<__nv_fp8_storage_t>(code);
      return static_cast<double>(__half2float(__half(__nv_cvt_fp8_to_halfraw(byte, format))));
    };
    if (const double e4m3 = element::E4m3::decode(code); !std::isnan(e4m3)) {
      EXPECT_EQ(e4m3, cuda(__NV_E4M3)) << code;
    }
    if (const double e5m2 = element::E5m2::decode(code); !std::isnan(e5m2)) {
      EXPECT_EQ(e5m2, cuda(__NV_E5M2)) << code;
    }
  }
  for (std::uint32_t code = 0; code < 0x7c00; ++code) {
    __half_raw raw;
    raw.x = static_cast<unsigned short>(code);
    EXPECT_EQ(element::Fp16::decode(code), __half2float(__half(raw))) << code;
  }
}
#endif

}  // namespace
}  // namespace mansard::kernels
