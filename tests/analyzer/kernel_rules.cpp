// SPDX-License-Identifier: Apache-2.0
#include "analyzer/classify/kernel_rules.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace mansard::analysis {
namespace {

std::string parse_error(std::string_view text) {
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
  // Words may also be separate.
  const KernelRules words = KernelRules::parse("x - one two*", "test.rules");
  EXPECT_EQ(words.classify("one_and_twofold").operation_class, "x");
  EXPECT_EQ(words.classify("oneself_two").operation_class, "other");
  EXPECT_EQ(words.classify("two_one").operation_class, "other");
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

TEST(KernelRules, WordsEndWhereLettersEndOrTheirCaseChanges) {
  const KernelRules rules = KernelRules::parse("gemm - gemm\nnorm - norm", "test.rules");
  for (const char* name : {"gemm", "a_gemm_b", "fp8gemm2", "DeviceGemmFp4", "FP4GEMMKernel", "GEMM",
                           "_ZN3foo4gemm6kernelE", "void ns::gemm<float>(int)"}) {
    EXPECT_EQ(rules.classify(name).operation_class, "gemm") << name;
  }
  for (const char* name : {"sgemm", "gemmini", "GEMMA", "Gemmology"}) {
    EXPECT_EQ(rules.classify(name).operation_class, "other") << name;
  }
  EXPECT_EQ(rules.classify("RMSNormKernel").operation_class, "norm");  // RMS|Norm|Kernel
  EXPECT_EQ(rules.classify("enormous").operation_class, "other");
  // A match inside a word does not hide a later match.
  EXPECT_EQ(rules.classify("gemmini_gemm").operation_class, "gemm");
}

TEST(KernelRules, LibraryAndPassAreIndependentOfTheClass) {
  const KernelRules rules = KernelRules::parse(
      "gemm bf16 gemm\nlibrary mylib my*\nlibrary other_lib gemm\npass backward bwd\n"
      "pass forward fwd",
      "test.rules");
  const KernelClass found = rules.classify("my_gemm_bwd");
  EXPECT_EQ(found.operation_class, "gemm");
  EXPECT_EQ(found.library, "mylib");
  EXPECT_EQ(found.pass, "backward");
  EXPECT_EQ(rules.classify("gemm_fwd").library, "other_lib");
  EXPECT_EQ(rules.classify("gemm_fwd").pass, "forward");
  EXPECT_EQ(rules.classify("x").library, "");
  EXPECT_EQ(rules.classify("x").pass, "");
  EXPECT_FALSE(rules.is_operation_class("library"));
}

TEST(KernelRules, ErrorsHaveFileLineAndCause) {
  EXPECT_NE(
      parse_error("gemm - gemm\ngemm fp7 x\n").find("test.rules, line 2: unknown precision 'fp7'"),
      std::string::npos);
  EXPECT_NE(parse_error("gemm -").find("line 1: the pattern is missing"), std::string::npos);
  EXPECT_NE(parse_error("gemm - * *").find("line 1: the pattern is missing"), std::string::npos);
  EXPECT_NE(parse_error("gemm - *").find("line 1: the pattern is missing"), std::string::npos);
  EXPECT_NE(parse_error("gemm").find("line 1"), std::string::npos);
  EXPECT_NE(
      parse_error("\n\nlibrary NVIDIA x").find("line 3: 'NVIDIA' is not a valid library name"),
      std::string::npos);
  EXPECT_NE(parse_error("pass sideways x").find("line 1: unknown pass 'sideways'"),
            std::string::npos);
  EXPECT_NE(parse_error("GEMM - x").find("line 1: 'GEMM' is not a valid class name"),
            std::string::npos);
}

class RulesFile : public testing::Test {
 protected:
  std::filesystem::path write(const std::string& text) {
    const std::filesystem::path file = scratch_ / "user.rules";
    std::ofstream(file) << text;
    return file;
  }

  // Tests run in parallel, each in a process of its own: a fixed file name would be shared.
  const test::Scratch scratch_;
};

TEST_F(RulesFile, ComesBeforeTheBuiltInRules) {
  const KernelRules rules = load_kernel_rules(
      write("routing - topkGatingSoftmax\nother - ncclDevKernel_Generic*\nlibrary mine *gemm\n"));
  EXPECT_EQ(rules.classify("topkGatingSoftmax").operation_class, "routing");
  EXPECT_TRUE(rules.is_operation_class("routing"));
  EXPECT_EQ(rules.classify("ncclDevKernel_Generic_1").operation_class, "other");
  EXPECT_EQ(rules.classify("ncclDevKernel_SendRecv").operation_class, "collective");
  EXPECT_EQ(rules.classify("ampere_sgemm_128x64_tn").library, "mine");
  EXPECT_EQ(rules.classify("ampere_sgemm_128x64_tn").precision, Precision::fp32);
  EXPECT_EQ(rules.operation_classes().back(), "other");
  EXPECT_EQ(kernel_rules().classify("topkGatingSoftmax").operation_class, "moe_routing");
}

TEST_F(RulesFile, ErrorsHaveFileAndLine) {
  const std::filesystem::path file = write("gemm - mine\ngemm fp3 mine\n");
  try {
    load_kernel_rules(file);
    FAIL() << "accepted";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(file.string() + ", line 2: unknown precision 'fp3'"),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW(load_kernel_rules("/no/such/file.rules"), std::runtime_error);
  EXPECT_THROW(load_kernel_rules(scratch_.folder()), std::runtime_error);  // a folder
}

TEST(KernelRules, EveryBuiltInRuleCanBeReached) {
  // A rule has no effect if an earlier rule matches everything that it matches.
  EXPECT_EQ(kernel_rules().shadowed_patterns(), std::vector<std::string>());
}

TEST(KernelRules, BuiltInClasses) {
  for (const char* name :
       {"gemm",       "convolution", "attention",  "linear_attention", "moe_routing", "quantize",
        "amax",       "rht",         "dequantize", "transpose",        "cast",        "norm",
        "activation", "elementwise", "reduction",  "softmax",          "loss",        "sampling",
        "pooling",    "embedding",   "sort",       "optimizer",        "collective",  "copy",
        "autotuning", "other"}) {
    EXPECT_TRUE(kernel_rules().is_operation_class(name)) << name;
  }
  EXPECT_FALSE(kernel_rules().is_operation_class("gem"));
}

}  // namespace
}  // namespace mansard::analysis
