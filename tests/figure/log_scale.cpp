// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/log_scale.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

namespace mansard::figure {
namespace {

TEST(LogScale, MapsDecadesEvenly) {
  const LogScale x(0.01, 1e4, 100, 700);
  EXPECT_NEAR(x.map(0.01), 100, 1e-9);
  EXPECT_NEAR(x.map(1), 300, 1e-9);
  EXPECT_NEAR(x.map(1e4), 700, 1e-9);
  EXPECT_NEAR(x.pixels_per_decade(), 100, 1e-9);
}

TEST(LogScale, AVerticalAxisGrowsUpwards) {
  const LogScale y(1e9, 1e15, 600, 0);
  EXPECT_NEAR(y.map(1e9), 600, 1e-9);
  EXPECT_NEAR(y.map(1e12), 300, 1e-9);
  EXPECT_NEAR(y.pixels_per_decade(), 100, 1e-9);
}

TEST(LogScale, InvertUndoesMap) {
  const LogScale y(3.3e7, 4.2e15, 611.5, 12.25);
  for (double value = 1e-3; value < 1e20; value *= 7.3) {
    EXPECT_NEAR(y.invert(y.map(value)) / value, 1, 1e-12) << value;
  }
}

TEST(LogScale, MapsNonPositiveValuesToNan) {
  const LogScale x(1, 10, 0, 100);
  EXPECT_TRUE(std::isnan(x.map(0)));
  EXPECT_TRUE(std::isnan(x.map(-1)));
  EXPECT_TRUE(std::isnan(x.map(std::numeric_limits<double>::quiet_NaN())));
}

TEST(LogScale, RejectsAnInvalidDomain) {
  EXPECT_THROW(LogScale(0, 10, 0, 100), std::invalid_argument);
  EXPECT_THROW(LogScale(10, 10, 0, 100), std::invalid_argument);
  EXPECT_THROW(LogScale(10, 1, 0, 100), std::invalid_argument);
  EXPECT_THROW(LogScale(1, INFINITY, 0, 100), std::invalid_argument);
  EXPECT_THROW(LogScale(NAN, 1, 0, 100), std::invalid_argument);
}

TEST(LogScale, ZoomKeepsTheValueUnderTheCursor) {
  const LogScale y(1e9, 1e15, 600, 0);
  for (const double pixel : {0.0, 137.0, 600.0, 900.0}) {
    const LogScale closer = y.zoomed(2.5, pixel);
    EXPECT_NEAR(closer.invert(pixel) / y.invert(pixel), 1, 1e-9);
    EXPECT_NEAR(closer.decades(), 6 / 2.5, 1e-9);
    const LogScale back = closer.zoomed(1 / 2.5, pixel);
    EXPECT_NEAR(back.min() / y.min(), 1, 1e-9);
    EXPECT_NEAR(back.max() / y.max(), 1, 1e-9);
  }
}

TEST(LogScale, ZoomStopsAtItsLimits) {
  LogScale x(1, 10, 0, 100);
  for (int i = 0; i < 200; ++i) x = x.zoomed(1.5, 30);
  EXPECT_NEAR(x.decades(), LogScale::kMinDecades, 1e-9);
  for (int i = 0; i < 400; ++i) x = x.zoomed(1 / 1.5, 30);
  EXPECT_NEAR(x.decades(), LogScale::kMaxDecades, 1e-9);
  EXPECT_GT(x.min(), 0);
  EXPECT_TRUE(std::isfinite(x.max()));
}

TEST(LogScale, PanMovesTheContent) {
  const LogScale x(1, 100, 0, 200);
  const LogScale moved = x.panned(50);
  EXPECT_NEAR(moved.map(10), x.map(10) + 50, 1e-9);
  const LogScale y(1, 100, 200, 0);
  EXPECT_NEAR(y.panned(-20).map(10), y.map(10) - 20, 1e-9);
}

TEST(LogScale, PanStaysInTheRangeOfDoubles) {
  LogScale x(1, 100, 0, 10);
  for (int i = 0; i < 1000; ++i) x = x.panned(-10);
  EXPECT_TRUE(std::isfinite(x.max()));
  EXPECT_NEAR(x.decades(), 2, 1e-9);
}

TEST(LogScale, ResizeKeepsTheDomain) {
  const LogScale x = LogScale(1, 100, 0, 200).resized(50, 850);
  EXPECT_NEAR(x.map(10), 450, 1e-9);
  EXPECT_NEAR(x.max(), 100, 1e-9);
}

}  // namespace
}  // namespace mansard::figure
