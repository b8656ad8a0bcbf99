// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/slice_style.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "analyzer/classify/kernel_rules.h"
#include "reports/figure/palette.h"
#include "reports/figure/timeline_tracks.h"

namespace mansard::figure {
namespace {

TEST(SliceStyle, ClassesHaveDistinctStyles) {
  std::vector<std::string> classes = analysis::kernel_rules().operation_classes();
  for (const analysis::OperationClass c :
       {analysis::kMemcpyClass, analysis::kMemsetClass, kGraphClass}) {
    classes.push_back(c.name());
  }
  for (const Theme theme : {Theme::light, Theme::dark}) {
    std::set<std::pair<std::string, std::size_t>> looks;
    for (const std::string& c : classes) {
      const SliceStyle style = slice_style(c);
      const std::string color = to_hex(mark_style(style.color_class, theme).color);
      EXPECT_TRUE(looks.insert({color, style.lines.size()}).second) << c;
    }
  }
}

TEST(SliceStyle, LinesLeaveRoomForAName) {
  for (const analysis::OperationClass c :
       {analysis::kMemsetClass, analysis::OperationClass("cast")}) {
    ASSERT_FALSE(slice_style(c).lines.empty());
    for (const double line : slice_style(c).lines) {
      EXPECT_GT(line, 0);
      EXPECT_LT(line, 1);
      EXPECT_GT(std::abs(line - 0.5), 0.15) << "the middle";
    }
  }
}

}  // namespace
}  // namespace mansard::figure
