// SPDX-License-Identifier: Apache-2.0
#include "support/text.h"

#include <cstdio>

#include <gtest/gtest.h>

namespace mansard {
namespace {

const std::string kBad = "\uFFFD";

TEST(ValidUtf8, KeepsWellFormedText) {
  const std::string text = "na\u00efve \u8a08\u7b97 \U0001F680";
  EXPECT_EQ(valid_utf8(text), text);
}

TEST(ValidUtf8, ReplacesInvalidSequences) {
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

TEST(SafeLines, KeepsLinesAndReplacesTerminalControls) {
  EXPECT_EQ(safe_lines("a\n\tb"), "a\n\tb");
  EXPECT_EQ(safe_lines("\x1b[2J\r\x07"), "\uFFFD[2J\uFFFD\uFFFD");
  EXPECT_EQ(safe_lines(std::string_view("a\0b", 3)), "a\uFFFDb");
  EXPECT_EQ(safe_lines("\xc2\x9b"
                       "31m \u202e"),
            "\uFFFD31m \uFFFD")
      << "C1 and bidirectional";
  EXPECT_EQ(safe_lines("\xff\u00e9"), "\uFFFD\u00e9");
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

TEST(ToUtf8, EncodesWideText) {
  EXPECT_EQ(to_utf8(nullptr), "");
  EXPECT_EQ(to_utf8(L"a\u00e9\u6f22\U0001f600"), "a\u00e9\u6f22\U0001f600");
  const wchar_t invalid[] = {L'x', static_cast<wchar_t>(0xd800), static_cast<wchar_t>(0x110000), 0};
  EXPECT_EQ(to_utf8(invalid), "x\uFFFD\uFFFD");
}

TEST(ExtentText, IsWrittenAsInALaunch) { EXPECT_EQ(extent_text({132, 2, 1}), "132x2x1"); }

TEST(JoinCommand, QuotesWhatAShellWouldSplit) {
  EXPECT_EQ(join_command({"python", "-c", "print('hi')", "", "a=b"}),
            "python -c 'print('\\''hi'\\'')' '' a=b");
  // Harmless on a terminal, and a shell reads it back.
  const std::string word = "a\nb\x1b[2J'\\";
  EXPECT_EQ(join_command({word}), R"($'a\x0ab\x1b[2J\'\\')");
  FILE* shell =
      popen(("bash -c " + join_command({"printf %s " + join_command({word})})).c_str(), "r");
  ASSERT_NE(shell, nullptr);
  std::string back(32, '\0');
  back.resize(std::fread(back.data(), 1, back.size(), shell));
  pclose(shell);
  EXPECT_EQ(back, word);
}

}  // namespace
}  // namespace mansard
