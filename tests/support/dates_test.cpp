// SPDX-License-Identifier: Apache-2.0
#include "support/dates.h"

#include <gtest/gtest.h>

namespace mansard {
namespace {

TEST(FormatUtc, HasDateAndTime) {
  EXPECT_EQ(format_utc(0), "1970-01-01 00:00:00");
  EXPECT_EQ(format_utc(1'760'000'000'999'999'999), "2025-10-09 08:53:20");
}

}  // namespace
}  // namespace mansard
