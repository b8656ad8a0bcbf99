// SPDX-License-Identifier: Apache-2.0
#include "support/csv.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mansard {
namespace {

using testing::HasSubstr;

std::string error_of(const auto& action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(CsvLine, Quotes) {
  EXPECT_EQ(split_csv_line(R"("a","b,c","d ""e""",,"",f)"),
            (std::vector<std::string>{"a", "b,c", "d \"e\"", "", "", "f"}));
  EXPECT_EQ(split_csv_line("\"a\"\r"), std::vector<std::string>{"a"});
}

TEST(CsvRecord, EndsAtALineEndOutsideQuotes) {
  std::string_view text = "a,\"b\nc\"\r\n\n\"\"\"\"";
  EXPECT_EQ(next_csv_record(text), (std::vector<std::string>{"a", "b\nc"}));
  EXPECT_EQ(next_csv_record(text), std::vector<std::string>{""});
  EXPECT_EQ(next_csv_record(text), std::vector<std::string>{"\""});
  EXPECT_EQ(text, "");
}

TEST(CsvField, IsNotAFormulaInASpreadsheet) {
  for (const char* formula : {"=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1"}) {
    const std::string field = csv_field(formula);
    EXPECT_EQ(field.find('\''), field.starts_with('"') ? 1u : 0u) << field;
  }
  EXPECT_EQ(csv_field("-"), "-");
  EXPECT_EQ(csv_field("gemm_kernel=1"), "gemm_kernel=1");
  EXPECT_EQ(csv_field("\x1b]0;title\x07"), "\uFFFD]0;title\uFFFD");
}

TEST(CsvField, ReadsBack) {
  for (const char* text : {"", "plain", "a,b", "say \"hi\"", "two\nlines", "# no comment", " "}) {
    EXPECT_EQ(split_csv_line(csv_field(text)), std::vector<std::string>{text});
  }
}

TEST(CsvNumber, IsTheShortestThatReadsBack) {
  EXPECT_EQ(csv_number(0.1), "0.1");
  EXPECT_EQ(csv_number(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(csv_number(std::numeric_limits<double>::infinity()), "");
}

TEST(CsvTable, KeepsLinesForItsErrors) {
  const CsvTable t = CsvTable::parse("# a, comment\na,b\r\n1.5,x\n\n2,\n", "t.csv");
  ASSERT_EQ(t.rows(), 2U);
  EXPECT_EQ(t.number(0, "a"), 1.5);
  EXPECT_EQ(t.text(0, "b"), "x");
  EXPECT_EQ(t.integer(1, "a"), 2);
  EXPECT_THAT(error_of([&] { (void)t.number(0, "b"); }),
              HasSubstr("t.csv, line 3: 'x' is not a number"));
  EXPECT_THAT(error_of([&] { (void)t.number(1, "b"); }), HasSubstr("line 5: '' is not a number"));
  EXPECT_THAT(error_of([&] { (void)t.text(0, "c"); }), HasSubstr("no column 'c'"));
  EXPECT_THAT(error_of([] { CsvTable::parse("a,b\n1\n", "t.csv"); }),
              HasSubstr("line 2: 1 cells, but the header has 2 columns"));
}

}  // namespace
}  // namespace mansard
