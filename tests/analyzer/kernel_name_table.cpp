// SPDX-License-Identifier: Apache-2.0
// Kernel names from profilers, with their classification: tests/fixtures/kernel_names.tsv.
#include <array>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "analyzer/classify/kernel_rules.h"

namespace mansard::analysis {
namespace {

struct Case {
  int line = 0;
  std::array<std::string, 5> columns;  // name, class, precision, library, pass
};

std::vector<Case> cases() {
  std::ifstream file(MANSARD_TEST_FIXTURES "/kernel_names.tsv");
  std::vector<Case> all;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line.front() == '#') continue;
    Case c{number, {}};
    std::istringstream columns(line);
    for (std::string& column : c.columns) std::getline(columns, column, '\t');
    all.push_back(std::move(c));
  }
  return all;
}

std::string text(std::string_view name) { return name.empty() ? "-" : std::string(name); }

TEST(KernelNameTable, EveryNameIsClassified) {
  ASSERT_FALSE(cases().empty()) << MANSARD_TEST_FIXTURES;
  for (const auto& [line, columns] : cases()) {
    const auto& [name, operation_class, precision, library, pass] = columns;
    const KernelClass found = kernel_rules().classify(name);
    const std::string place = "kernel_names.tsv:" + std::to_string(line) + ": " + name;
    EXPECT_EQ(found.operation_class, operation_class) << place;
    EXPECT_EQ(found.precision ? std::string(info(*found.precision).key) : "-", precision) << place;
    EXPECT_EQ(text(found.library), library) << place;
    EXPECT_EQ(text(found.pass), pass) << place;
  }
}

// The table must not shrink unnoticed or use unknown classes.
TEST(KernelNameTable, CoversLibrariesAndClasses) {
  std::set<std::string> names;
  std::set<std::string> classes;
  std::set<std::string> libraries;
  for (const auto& [line, columns] : cases()) {
    EXPECT_TRUE(names.insert(columns[0]).second) << "twice: line " << line;
    EXPECT_TRUE(kernel_rules().is_operation_class(columns[1])) << "line " << line;
    classes.insert(columns[1]);
    libraries.insert(columns[3]);
  }
  EXPECT_GE(names.size(), 1900u);
  for (const std::string& operation_class : kernel_rules().operation_classes()) {
    EXPECT_TRUE(classes.contains(operation_class)) << operation_class;
  }
  for (const char* library :
       {"cublas",     "cudnn",        "cutlass", "te",       "triton",
        "xla",        "aten",         "cub",     "rocprim",  "nccl",
        "rccl",       "nvshmem",      "deepep",  "deepgemm", "flash-attention",
        "flashinfer", "tensorrt-llm", "vllm",    "fbgemm",   "apex",
        "aiter",      "ck",           "miopen",  "tensile",  "mansard"}) {
    EXPECT_TRUE(libraries.contains(library)) << library;
  }
}

// A pattern word does not match inside a longer word.
TEST(KernelNameTable, PatternsDoNotMatchInsideWords) {
  for (const char* word :
       {"gemm",   "amax",   "adam",  "softmax",   "transpose", "norm",    "silu",
        "relu",   "quant",  "copy",  "cast",      "rht",       "dropout", "embedding",
        "reduce", "matmul", "flash", "attention", "permute",   "rope",    "sgd",
        "lamb",   "muon",   "wgmma", "rotary",    "lamport",   "nccl",    "imma"}) {
    const std::string name = "zz" + std::string(word) + "zz";
    EXPECT_EQ(kernel_rules().classify(name).operation_class, "other") << name;
  }
}

}  // namespace
}  // namespace mansard::analysis
