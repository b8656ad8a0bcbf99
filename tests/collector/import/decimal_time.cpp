// SPDX-License-Identifier: Apache-2.0
#include "collector/import/decimal_time.h"

#include <gtest/gtest.h>

namespace mansard::collector {
namespace {

constexpr auto ns = nanoseconds_of_microseconds;

TEST(DecimalTime, KeepsNanoseconds) {
  EXPECT_EQ(ns("0"), 0);
  EXPECT_EQ(ns("1"), 1000);
  EXPECT_EQ(ns("1001.250"), 1001250);
  EXPECT_EQ(ns("0.001"), 1);
  EXPECT_EQ(ns("-1.5"), -1500);
  EXPECT_EQ(ns("+2"), 2000);
}

// 2^53 us are 9e15 us: a double of 1.7e15 us has steps of 0.25 us, so that these two are one.
TEST(DecimalTime, IsExactWhereADoubleIsNot) {
  ASSERT_EQ(1743521598000000.001, 1743521598000000.002);
  EXPECT_EQ(ns("1743521598000000.001"), 1743521598000000001);
  EXPECT_EQ(ns("1743521598000000.002"), 1743521598000000002);
}

TEST(DecimalTime, RoundsToTheNearest) {
  EXPECT_EQ(ns("0.0004"), 0);
  EXPECT_EQ(ns("0.0005"), 1);
  EXPECT_EQ(ns("7.36049"), 7360);
  EXPECT_EQ(ns("7.3605"), 7361);
  EXPECT_EQ(ns("-0.0005"), -1);
  EXPECT_EQ(ns("0.00049999999999999999999"), 0);
}

TEST(DecimalTime, Exponents) {
  EXPECT_EQ(ns("2e3"), 2000000);
  EXPECT_EQ(ns("1.5E+2"), 150000);
  EXPECT_EQ(ns("12345e-4"), 1235);  // 1.2345 us = 1234.5 ns
  EXPECT_EQ(ns("1e-90"), 0);
  EXPECT_EQ(ns("0e99"), 0);
}

TEST(DecimalTime, ManyDigits) {
  EXPECT_EQ(ns("000000000000000000000000000001.5"), 1500);
  EXPECT_EQ(ns("123456789012.3456789012345678901234567890"), 123456789012346);
}

TEST(DecimalTime, InvalidTimes) {
  for (const char* text : {"", "-", ".", "NaN", "inf", "1,5", "1.2.3", "1e", "1ex", "12us", " 1",
                           "1e999", "99999999999999999999", "1e30"}) {
    EXPECT_EQ(ns(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace mansard::collector
