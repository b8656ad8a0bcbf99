// SPDX-License-Identifier: Apache-2.0
#include "collector/session/memory_limit.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace mansard::collector {
namespace {

TEST(MemoryLimit, ParsesSizesWithUnits) {
  EXPECT_EQ(parse_memory_limit("512M"), 512LL << 20);
  EXPECT_EQ(parse_memory_limit("2G"), 2LL << 30);
  EXPECT_EQ(parse_memory_limit("16384K"), 16LL << 20);
  EXPECT_EQ(parse_memory_limit("536870912"), 512LL << 20);
  EXPECT_EQ(parse_memory_limit("8000000000G"), 8000000000LL << 30);
}

TEST(MemoryLimit, RejectsInvalidSizesWithReason) {
  const auto reason = [](const char* text) {
    try {
      parse_memory_limit(text);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  for (const char* text : {"", "M", "lots", "1.5G", "512MB", "512 M", "512m", " 512M", "0x10M"}) {
    EXPECT_NE(reason(text).find("is not a size"), std::string::npos)
        << text << ": " << reason(text);
  }
  for (const char* text : {"512", "0", "15M", "16383K", "-1G", "-9000000000000000000"}) {
    EXPECT_NE(reason(text).find("at least 16M"), std::string::npos) << text << ": " << reason(text);
  }
  for (const char* text : {"99999999999999999999", "9000000000G"}) {
    EXPECT_NE(reason(text).find("is too large"), std::string::npos) << text;
  }
}

TEST(MemoryLimit, SharesAddUpToTheLimit) {
  const MemoryShares shares = split_memory_limit(kDefaultMemoryLimit_bytes);
  EXPECT_EQ(shares.nvtx_bytes + shares.cupti_bytes, 512u << 20);
  EXPECT_GT(shares.nvtx_bytes, 0u);
  EXPECT_GT(shares.cupti_bytes, 0u);
}

}  // namespace
}  // namespace mansard::collector
