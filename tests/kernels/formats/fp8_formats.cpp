// SPDX-License-Identifier: Apache-2.0
// Every code of E4M3, E5M2 and E8M0, and every rounding between two adjacent values.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "kernels/formats/fp8_format.h"

namespace mansard::kernels::fp8 {
namespace {

struct Case {
  Format format;
  const char* name;
  int largest;  // code of the largest finite value
};
const Case kCases[] = {{Format::e4m3, "E4M3", 0x7e}, {Format::e5m2, "E5M2", 0x7b}};

TEST(Fp8Formats, ValuesMatchTheDefinition) {
  EXPECT_EQ(decode(Format::e4m3, 0x00), 0.0f);
  EXPECT_EQ(decode(Format::e4m3, 0x01), 0x1p-9f);
  EXPECT_EQ(decode(Format::e4m3, 0x07), 7 * 0x1p-9f);
  EXPECT_EQ(decode(Format::e4m3, 0x08), 0x1p-6f);
  EXPECT_EQ(decode(Format::e4m3, 0x38), 1.0f);
  EXPECT_EQ(decode(Format::e4m3, 0x7e), 448.0f);
  EXPECT_EQ(decode(Format::e4m3, 0xfe), -448.0f);
  EXPECT_TRUE(std::isnan(decode(Format::e4m3, 0x7f)));
  EXPECT_TRUE(std::isnan(decode(Format::e4m3, 0xff)));
  EXPECT_EQ(decode(Format::e5m2, 0x01), 0x1p-16f);
  EXPECT_EQ(decode(Format::e5m2, 0x04), 0x1p-14f);
  EXPECT_EQ(decode(Format::e5m2, 0x3c), 1.0f);
  EXPECT_EQ(decode(Format::e5m2, 0x7b), 57344.0f);
  EXPECT_EQ(decode(Format::e5m2, 0x7c), INFINITY);
  EXPECT_EQ(decode(Format::e5m2, 0xfc), -INFINITY);
  for (const int nan : {0x7d, 0x7e, 0x7f, 0xfd, 0xfe, 0xff}) {
    EXPECT_TRUE(std::isnan(decode(Format::e5m2, static_cast<std::uint8_t>(nan))));
  }
}

TEST(Fp8Formats, EveryFiniteCodeRoundTripsWithItsSign) {
  for (const Case& c : kCases) {
    for (int sign : {0x00, 0x80}) {
      for (int code = 0; code <= c.largest; ++code) {
        const auto expected = static_cast<std::uint8_t>(sign | code);
        EXPECT_EQ(encode(c.format, decode(c.format, expected)), expected) << c.name;
      }
    }
  }
}

TEST(Fp8Formats, RoundsToNearestEven) {
  for (const Case& c : kCases) {
    for (int code = 0; code < c.largest; ++code) {
      const float low = decode(c.format, static_cast<std::uint8_t>(code));
      const float high = decode(c.format, static_cast<std::uint8_t>(code + 1));
      const float half = (low + high) / 2;
      const int even = code % 2 == 0 ? code : code + 1;
      EXPECT_EQ(encode(c.format, half), even) << c.name << " " << code;
      EXPECT_EQ(encode(c.format, std::nextafter(half, 0.0f)), code) << c.name << " " << code;
      EXPECT_EQ(encode(c.format, std::nextafter(half, INFINITY)), code + 1)
          << c.name << " " << code;
      EXPECT_EQ(encode(c.format, -half), 0x80 | even) << c.name << " " << code;
    }
  }
}

TEST(Fp8Formats, SaturatesAndKeepsNan) {
  for (const Case& c : kCases) {
    const float max = max_value(c.format);
    EXPECT_EQ(decode(c.format, static_cast<std::uint8_t>(c.largest)), max);
    for (const float x : {max, std::nextafter(max, INFINITY), 1.1f * max, 1e30f, INFINITY}) {
      EXPECT_EQ(encode(c.format, x), c.largest) << c.name << " " << x;
      EXPECT_EQ(encode(c.format, -x), 0x80 | c.largest) << c.name << " " << x;
    }
    for (const std::uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xffffffffu}) {
      EXPECT_EQ(encode(c.format, std::bit_cast<float>(nan)), kNanCode) << c.name;
    }
    EXPECT_EQ(encode(c.format, 0.0f), 0x00);
    EXPECT_EQ(encode(c.format, -0.0f), 0x80);
    EXPECT_EQ(encode(c.format, std::numeric_limits<float>::denorm_min()), 0x00);
    EXPECT_EQ(encode(c.format, -std::numeric_limits<float>::denorm_min()), 0x80);
  }
}

TEST(E8m0, PowersOfTwoAreExactAndOthersRoundUp) {
  for (int e = 1; e <= 254; ++e) {
    const float power = std::ldexp(1.0f, e - 127);
    EXPECT_EQ(to_e8m0(power), e);
    EXPECT_EQ(to_e8m0(std::nextafter(power, INFINITY)), std::min(e + 1, 254));
    EXPECT_EQ(from_e8m0(static_cast<std::uint8_t>(e)), power);
  }
}

TEST(E8m0, HandlesTheEndsOfTheRange) {
  EXPECT_EQ(to_e8m0(0.0f), 0);
  EXPECT_EQ(to_e8m0(std::numeric_limits<float>::denorm_min()), 0);
  EXPECT_EQ(to_e8m0(0x1p-127f), 0);
  EXPECT_EQ(to_e8m0(std::nextafter(0x1p-127f, 1.0f)), 1);
  EXPECT_EQ(to_e8m0(std::numeric_limits<float>::max()), 0xfe);
  EXPECT_EQ(to_e8m0(INFINITY), 0xfe);
  EXPECT_EQ(to_e8m0(std::numeric_limits<float>::quiet_NaN()), 0xff);
  EXPECT_EQ(from_e8m0(0), 0x1p-127f);
  EXPECT_TRUE(std::isnan(from_e8m0(0xff)));
  EXPECT_TRUE(std::isnan(e8m0_reciprocal(0xff)));
}

TEST(E8m0, ReciprocalsAreExact) {
  for (int e = 0; e <= 254; ++e) {
    EXPECT_EQ(e8m0_reciprocal(static_cast<std::uint8_t>(e)), std::ldexp(1.0f, 127 - e)) << e;
  }
}

}  // namespace
}  // namespace mansard::kernels::fp8
