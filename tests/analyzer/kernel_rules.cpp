// SPDX-License-Identifier: Apache-2.0
#include "analyzer/classify/kernel_rules.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace mansard {
namespace {

std::string error_of(std::string_view text) {
  try {
    KernelRules::parse(text, "test.rules");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(KernelRules, TheFirstMatchWins) {
  const KernelRules rules = KernelRules::parse(
      "# comment\n"
      "gemm bf16 gemm*bf16\n"
      "\n"
      "gemm  -   gemm\r\n"
      "copy\t-\tcopy",
      "test.rules");
  EXPECT_EQ(rules.classify("gemm_bf16").precision, Precision::bf16);
  EXPECT_EQ(rules.classify("gemm_fp16").precision, std::nullopt);
  EXPECT_EQ(rules.classify("gemm_copy").operation_class, "gemm");
  EXPECT_EQ(rules.classify("a_copy").operation_class, "copy");
  EXPECT_EQ(rules.classify("anything").operation_class, "other");
  EXPECT_EQ(rules.operation_classes(), (std::vector<std::string>{"gemm", "copy", "other"}));
}

TEST(KernelRules, StarsJoinPiecesInOrder) {
  const KernelRules rules = KernelRules::parse("x - one*two*three", "test.rules");
  EXPECT_TRUE(rules.classify("one_two_three").operation_class == "x");
  EXPECT_TRUE(rules.classify("onetwothree").operation_class == "x");
  EXPECT_FALSE(rules.classify("two_one_three").operation_class == "x");
  EXPECT_FALSE(rules.classify("one_two").operation_class == "x");
  // Pieces do not overlap: "aba" is not found twice in "ababa".
  const KernelRules twice = KernelRules::parse("x - aba*aba", "test.rules");
  EXPECT_FALSE(twice.classify("ababa").operation_class == "x");
  EXPECT_TRUE(twice.classify("abaaba").operation_class == "x");
}

TEST(KernelRules, LettersMatchInAnyCase) {
  const KernelRules rules = KernelRules::parse("attention - FlashAttn", "test.rules");
  EXPECT_EQ(rules.classify("FLASHATTN_fwd").operation_class, "attention");
  EXPECT_EQ(rules.classify("flashattn").operation_class, "attention");
}

TEST(KernelRules, ShortPiecesMatchToo) {
  // One or two characters form no trigram, and names can be shorter than a pattern.
  const KernelRules rules = KernelRules::parse("x - ab\ny - longer", "test.rules");
  EXPECT_EQ(rules.classify("ab").operation_class, "x");
  EXPECT_EQ(rules.classify("lon").operation_class, "other");
  EXPECT_EQ(rules.classify("").operation_class, "other");
}

TEST(KernelRules, ErrorsNameFileLineAndFault) {
  EXPECT_NE(
      error_of("gemm - gemm\ngemm fp7 x\n").find("test.rules, line 2: unknown precision 'fp7'"),
      std::string::npos);
  EXPECT_NE(error_of("gemm -").find("line 1: the pattern is missing"), std::string::npos);
  EXPECT_NE(error_of("gemm - *").find("line 1: the pattern is missing"), std::string::npos);
  EXPECT_NE(error_of("gemm").find("line 1"), std::string::npos);
}

TEST(KernelRules, EveryBuiltInRuleCanBeReached) {
  // A rule whose own pattern is caught by an earlier rule never decides anything.
  EXPECT_EQ(kernel_rules().shadowed_patterns(), std::vector<std::string>());
}

TEST(KernelRules, BuiltInClasses) {
  for (const char* name :
       {"gemm", "attention", "quantize", "amax", "rht", "dequantize", "transpose", "cast", "norm",
        "activation", "elementwise", "reduction", "softmax", "loss", "embedding", "optimizer",
        "collective", "copy", "other"}) {
    EXPECT_TRUE(kernel_rules().is_operation_class(name)) << name;
  }
  EXPECT_FALSE(kernel_rules().is_operation_class("gem"));
}

}  // namespace
}  // namespace mansard
