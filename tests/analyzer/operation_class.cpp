// SPDX-License-Identifier: Apache-2.0
#include "analyzer/classify/operation_class.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace mansard::analysis {
namespace {

TEST(OperationClass, EqualsByName) {
  const std::string text = "ge" + std::string("mm");
  EXPECT_EQ(OperationClass(text), kGemmClass);
  EXPECT_EQ(OperationClass(text.c_str()), OperationClass(std::string_view("gemm")));
  EXPECT_EQ(&OperationClass(text).name(), &kGemmClass.name());
  EXPECT_NE(OperationClass("gemm "), kGemmClass);
  EXPECT_EQ(std::hash<OperationClass>()("gemm"), std::hash<OperationClass>()(kGemmClass));
}

TEST(OperationClass, DefaultHasNoName) {
  EXPECT_TRUE(OperationClass().empty());
  EXPECT_EQ(OperationClass(), OperationClass(""));
  EXPECT_FALSE(kOtherClass.empty());
}

TEST(OperationClass, OrdersByName) {
  std::vector<OperationClass> classes = {"norm", "amax", "", "quantize", "gemm"};
  std::ranges::sort(classes);
  EXPECT_EQ(classes, (std::vector<OperationClass>{"", "amax", "gemm", "norm", "quantize"}));
}

TEST(OperationClass, IsTheSameInAllThreads) {
  constexpr std::size_t kThreads = 8;
  constexpr std::size_t kNames = 500;
  std::vector<std::vector<OperationClass>> made(kThreads);
  std::vector<std::thread> threads;
  for (std::vector<OperationClass>& of_thread : made) {
    threads.emplace_back([&of_thread] {
      for (std::size_t i = 0; i < kNames; ++i) {
        of_thread.emplace_back("class " + std::to_string(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<OperationClass>& of_thread : made) EXPECT_EQ(of_thread, made.front());
}

}  // namespace
}  // namespace mansard::analysis
