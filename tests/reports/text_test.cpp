// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/text.h"

#include <gtest/gtest.h>

#include "reports/formats/writers.h"
#include "tests/reports/fixture.h"

namespace mansard {
namespace {

const std::string kBad = "\uFFFD";

TEST(ValidUtf8, KeepsWellFormedText) {
  const std::string text = "na\u00efve \u8a08\u7b97 \U0001F680";
  EXPECT_EQ(valid_utf8(text), text);
}

TEST(ValidUtf8, ReplacesWhatNoDecoderMayAccept) {
  EXPECT_EQ(valid_utf8("a\xff"
                       "b"),
            "a" + kBad + "b");
  EXPECT_EQ(valid_utf8("\xc0\xaf"), kBad + kBad) << "overlong";
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), kBad + kBad + kBad) << "surrogate";
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), kBad + kBad + kBad + kBad) << "above U+10FFFF";
  EXPECT_EQ(valid_utf8("\xe2\x82"), kBad + kBad) << "cut short";
}

TEST(OneLine, HasNoLineEndsEscapesOrDirectionOverrides) {
  EXPECT_EQ(one_line(" a\r\n\tb  c "), "a b c");
  EXPECT_EQ(one_line("\x1b[31mred"), kBad + "[31mred");
  EXPECT_EQ(one_line("\u202Eabc"), kBad + "abc");
}

TEST(SafeLines, KeepsLinesAndNothingThatATerminalObeys) {
  EXPECT_EQ(safe_lines("a\n\tb"), "a\n\tb");
  EXPECT_EQ(safe_lines("\x1b[2J\r\x07"), "\uFFFD[2J\uFFFD\uFFFD");
  EXPECT_EQ(safe_lines(std::string_view("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(safe_lines("\xc2\x9b"
                       "31m \u202e"),
            "\uFFFD31m \uFFFD")
      << "C1 and bidirectional";
  EXPECT_EQ(safe_lines("\xff\u00e9"), "\uFFFD\u00e9");
}

TEST(CsvField, IsNoFormulaInASpreadsheet) {
  for (const char* formula : {"=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1"}) {
    const std::string field = csv_field(formula);
    EXPECT_EQ(field.find('\''), field.starts_with('"') ? 1u : 0u) << field;
  }
  EXPECT_EQ(csv_field("-"), "-");
  EXPECT_EQ(csv_field("gemm_kernel=1"), "gemm_kernel=1");
  EXPECT_EQ(csv_field("\x1b]0;title\x07"), "\uFFFD]0;title\uFFFD");
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("\u00e4"), 1);
  EXPECT_EQ(display_width("e\u0301"), 1) << "combining accent";
  EXPECT_EQ(display_width("\u8a08\u7b97"), 4);
}

TEST(TruncateMiddle, KeepsBothEndsWithinTheWidth) {
  EXPECT_EQ(truncate_middle("abcdef", 6), "abcdef");
  EXPECT_EQ(truncate_middle("abcdefgh", 5), "ab\u2026gh");
  EXPECT_EQ(truncate_middle("abcdef", 1), "\u2026");
  EXPECT_EQ(truncate_middle("abcdef", 0), "");
  for (int width = 0; width < 40; ++width) {
    const std::string cut = truncate_middle("\u8a08\u7b97 of \u8a08 kernels e\u0301 \u7b97", width);
    EXPECT_LE(display_width(cut), width);
    EXPECT_EQ(valid_utf8(cut), cut) << "cut inside a character";
  }
}

TEST(WrapWords, BreaksBetweenWordsOnly) {
  EXPECT_EQ(wrap_words("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrap_words("incomprehensible", 4), "incomprehensible");
}

TEST(EscapeHtml, LeavesNoMarkup) {
  const std::string html = escape_html(fixture::hostile_name());
  EXPECT_EQ(html.find_first_of("<>\"'\n\x1b"), std::string::npos) << html;
  EXPECT_NE(html.find("&lt;/script&gt;&lt;!--"), std::string::npos) << html;
  EXPECT_EQ(escape_html("a & b"), "a &amp; b");
}

}  // namespace
}  // namespace mansard
