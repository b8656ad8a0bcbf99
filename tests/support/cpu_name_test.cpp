// SPDX-License-Identifier: Apache-2.0
#include "support/cpu_name.h"

#include <sstream>

#include <gtest/gtest.h>

namespace mansard {
namespace {

TEST(CpuName, IsTheFirstModelNameWithoutSpacesAround) {
  std::istringstream x86(
      "processor\t: 0\nmodel\t\t: 1\nmodel name\t: Intel(R) Xeon(R) 8480C   \n"
      "processor\t: 1\nmodel name\t: another\n");
  EXPECT_EQ(cpu_name(x86), "Intel(R) Xeon(R) 8480C");
  std::istringstream blank("model name\t:  \n");
  EXPECT_EQ(cpu_name(blank), "");
  std::istringstream arm("processor\t: 0\nCPU part\t: 0xd4f\n");
  EXPECT_EQ(cpu_name(arm), "");
}

}  // namespace
}  // namespace mansard
