// SPDX-License-Identifier: Apache-2.0
#include "analyzer/what_if.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

// A GEMM of 2 s with T_sol = 1 s (1e12 FLOP at 1e12 FLOP/s), a softmax of 1 s with unknown work, 1
// s idle: a span of 4 s.
analysis::RunAnalysis two_kernels() {
  ProfileBuilder b;
  b.range(0, 10, "fprop | flop=1e12 precision=bf16 class=gemm");
  b.launch(5, kSecond, 3 * kSecond, "product");
  b.launch(35, 4 * kSecond, 5 * kSecond, "void ns::softmax_warp<float>(int)");
  return analysis::analyze_run(b.build(), {test_machine()});
}

double span_after(const analysis::RunAnalysis& run, const std::vector<std::string>& texts) {
  std::vector<analysis::WhatIf> changes;
  for (const std::string& text : texts) changes.push_back(analysis::parse_what_if(text));
  const analysis::Finding finding = analysis::what_if_finding(run, changes);
  return std::get<double>(finding.tables.front().rows.at(1).at(1));
}

TEST(WhatIf, SavesTheTimeOfTheChangedRows) {
  const analysis::RunAnalysis run = two_kernels();
  EXPECT_NEAR(span_after(run, {"gemm=sol"}), 3, 1e-9);         // 4 - (2 - 1)
  EXPECT_NEAR(span_after(run, {"softmax=2x"}), 3.5, 1e-9);     // 4 - 1 / 2
  EXPECT_NEAR(span_after(run, {"softmax_warp=0"}), 3, 1e-9);   // by short name
  EXPECT_NEAR(span_after(run, {"ns::soft*=4x"}), 3.25, 1e-9);  // by a pattern
  EXPECT_NEAR(span_after(run, {"gemm=sol", "softmax=0"}), 2, 1e-9);
  EXPECT_NEAR(span_after(run, {"gemm=sol", "gemm=0"}), 2, 1e-9);  // the last counts
  EXPECT_NEAR(span_after(run, {"gemm=0.5x"}), 6, 1e-9);           // slower: 4 + 2
}

TEST(WhatIf, RowsWithoutSolTimeDoNotChange) {
  const analysis::RunAnalysis run = two_kernels();
  const analysis::Finding finding =
      analysis::what_if_finding(run, {analysis::parse_what_if("softmax=sol")});
  EXPECT_NEAR(span_after(run, {"softmax=sol"}), 4, 1e-9);
  EXPECT_NE(finding.summary.find("SOL time is unknown"), std::string::npos);
}

TEST(WhatIf, OverlappingTimeIsSavedOnce) {
  ProfileBuilder b;
  b.launch(0, 0, 2 * kSecond, "gemm_a");
  b.launch(1, kSecond, 3 * kSecond, "gemm_b");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {});
  // "gemm_a" accounts for the first 2 s, as it started first; "gemm_b" for the remaining 1 s.
  EXPECT_NEAR(span_after(run, {"gemm_a=0"}), 1, 1e-9);
  EXPECT_NEAR(span_after(run, {"gemm_b=0"}), 2, 1e-9);
}

// The span is that of the device: an annotated host range does not reduce it, and is not a target.
TEST(WhatIf, HostRangesAreNotPartOfDeviceTime) {
  ProfileBuilder b;
  b.launch(5, 0, 2 * kSecond, "product");
  b.range(10 * kSecond, 19 * kSecond, "tokenize | bytes=1e9 class=loader");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {});
  ASSERT_EQ(run.rows.size(), 2U);
  EXPECT_NEAR(span_after(run, {"product=2x"}), 1, 1e-9);
  EXPECT_EQ(analysis::what_if_finding(run, {analysis::parse_what_if("product=2x")})
                .summary.find("overlap"),
            std::string::npos);
  EXPECT_THROW(analysis::what_if_finding(run, {analysis::parse_what_if("loader=0")}),
               std::runtime_error);
}

// The time of a run without device work is that of its host ranges.
TEST(WhatIf, HostRunsUseTheirRanges) {
  ProfileBuilder b;
  b.range(0, 2 * kSecond, "tokenize | bytes=1e9 class=loader");
  EXPECT_NEAR(span_after(analysis::analyze_run(b.build(), {}), {"loader=2x"}), 1, 1e-9);
}

TEST(WhatIf, UnknownTargetsListTheClasses) {
  try {
    analysis::what_if_finding(two_kernels(), {analysis::parse_what_if("gem=sol")});
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("gemm, softmax"), std::string::npos) << error.what();
  }
}

TEST(WhatIf, TargetsDoNotMatchInsideWords) {
  const analysis::RunAnalysis run = two_kernels();
  EXPECT_THROW(analysis::what_if_finding(run, {analysis::parse_what_if("soft=0")}),
               std::runtime_error);
  EXPECT_THROW(analysis::what_if_finding(run, {analysis::parse_what_if("*=0")}),
               std::runtime_error);
}

TEST(WhatIf, InvalidTextIsRejected) {
  for (const char* text : {"gemm", "=sol", "gemm=", "gemm=fast", "gemm=2", "gemm=0x", "gemm=-1x",
                           "gemm=2xx", "gemm=nanx", "gemm=infx"}) {
    EXPECT_THROW(analysis::parse_what_if(text), std::invalid_argument) << text;
  }
  EXPECT_EQ(analysis::parse_what_if("a=b=2x").target, "a=b");
}

}  // namespace
}  // namespace mansard::test
