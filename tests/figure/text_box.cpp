// SPDX-License-Identifier: Apache-2.0
#include "reports/figure/text_box.h"

#include <gtest/gtest.h>

#include "reports/figure/legend.h"
#include "support/text.h"

namespace mansard::figure {
namespace {

TextSize measure(std::string_view text) { return {7.0 * display_width(text), 14}; }

TEST(FitText, KeepsTextThatFits) {
  EXPECT_EQ(fit_text("gemm", 28, measure), "gemm");
  EXPECT_EQ(fit_text("", 0, measure), "");
}

TEST(FitText, ToleratesRounding) {
  const double width = measure("step 10").width;
  EXPECT_EQ(fit_text("step 10", width + 12.1 - 12.1 - 1e-12, measure), "step 10");
}

TEST(FitText, TruncatesTheMiddle) {
  EXPECT_EQ(fit_text("abcdefgh", 35, measure), "ab\u2026gh");
  EXPECT_EQ(fit_text("abcdefgh", 55, measure), "abc\u2026fgh");
  EXPECT_EQ(fit_text("abcdefgh", 7, measure), "\u2026");
  EXPECT_EQ(fit_text("abcdefgh", 6, measure), "");
}

TEST(FitText, MeasuresWideCharacters) {
  const std::string fitted = fit_text("\u8a08\u7b97\u8a08\u7b97\u8a08\u7b97", 49, measure);
  EXPECT_LE(measure(fitted).width, 49);
  EXPECT_EQ(fitted, valid_utf8(fitted));
}

TEST(PlaceText, KeepsItsAnchor) {
  const PlacedText end = place_text("abc", TextAnchor::end, 100, 50, measure);
  EXPECT_DOUBLE_EQ(end.box.right, 100);
  EXPECT_DOUBLE_EQ(end.box.left, 79);
  EXPECT_DOUBLE_EQ(end.box.top, 43);
  const PlacedText middle = place_text("abc", TextAnchor::middle, 100, 50, measure);
  EXPECT_DOUBLE_EQ((middle.box.left + middle.box.right) / 2, 100);
}

TEST(Legend, HasColumns) {
  const std::vector<std::string> names = {"one", "two", "three", "four", "five"};
  const Legend legend = place_legend(names, 10, 250, 20, measure);
  ASSERT_EQ(legend.entries.size(), 5u);
  // An entry takes 18 + 7 + 35 px and 28 to the next: three fit into 240.
  EXPECT_DOUBLE_EQ(legend.entries[0].swatch.left, 10);
  EXPECT_DOUBLE_EQ(legend.entries[1].swatch.left, 98);
  EXPECT_DOUBLE_EQ(legend.entries[3].swatch.left, 10);
  EXPECT_GT(legend.entries[3].swatch.top, legend.entries[0].swatch.bottom);
  EXPECT_LE(legend.entries[2].name.box.right, 250);
  EXPECT_GE(legend.bottom, legend.entries[4].name.box.bottom);
}

TEST(Legend, FitsLongNamesIntoOneColumn) {
  const std::vector<std::string> names = {std::string(4000, 'x'), "short"};
  const Legend legend = place_legend(names, 0, 200, 0, measure);
  EXPECT_LE(legend.entries[0].name.box.right, 200);
  EXPECT_DOUBLE_EQ(legend.entries[1].swatch.left, 0);
  EXPECT_DOUBLE_EQ(place_legend({}, 0, 200, 30, measure).bottom, 30);
}

}  // namespace
}  // namespace mansard::figure
