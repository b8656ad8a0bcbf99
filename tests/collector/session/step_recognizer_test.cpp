// SPDX-License-Identifier: Apache-2.0
#include "collector/session/step_recognizer.h"

#include <gtest/gtest.h>

namespace mansard::collector {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// Kinds of launches, each 0.1 ms after the one before.
class StepRecognizerTest : public testing::Test {
 protected:
  void launch(std::uint64_t kind) {
    now_ns += kMs / 10;
    if (recognizer.add(kind, now_ns)) ends.push_back(now_ns);
  }
  void launch(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t kind = first; kind <= last; ++kind) launch(kind);
  }
  // 8 layers forward and backward, a loss and an optimizer: 8 * (5 + 9) + 1 + 6 launches.
  void train(int micro_batches = 1) {
    for (int batch = 0; batch < micro_batches; ++batch) {
      for (int layer = 0; layer < 8; ++layer) launch(1, 5);
      launch(10);
      for (int layer = 0; layer < 8; ++layer) launch(21, 29);
    }
    launch(31, 36);
    now_ns += kMs;  // the next batch is loaded
  }
  // Number of the step that ends first after the steps are recognized.
  std::int64_t train_until_recognized(int micro_batches = 1) {
    for (int step = 1; step < 10'000; ++step) {
      train(micro_batches);
      if (!ends.empty()) return step;
    }
    return -1;
  }

  StepRecognizer recognizer;
  std::vector<std::int64_t> ends;
  std::int64_t now_ns = 0;
};

TEST_F(StepRecognizerTest, AStepIsNotALayer) {
  const std::int64_t step = train_until_recognized();
  ASSERT_TRUE(recognizer.pattern());
  EXPECT_EQ(recognizer.pattern()->launches, 119);
  EXPECT_NEAR(recognizer.pattern()->step_s, 12.9e-3, 1e-6);
  EXPECT_EQ(recognizer.steps(), step) << "steps before the recognition are counted";
  EXPECT_GT(now_ns, StepRecognizer::kSteady_ns);
  EXPECT_LT(now_ns, StepRecognizer::kSteady_ns + 100 * kMs);
  EXPECT_EQ(ends.back(), now_ns - kMs) << "before the pause";
  for (int i = 0; i < 10; ++i) train();
  EXPECT_EQ(recognizer.steps(), step + 10);
  EXPECT_EQ(ends.size(), 11u);
}

// Wherever in a step the program is when its steps are recognized.
class Phases : public StepRecognizerTest, public testing::WithParamInterface<int> {};

TEST_P(Phases, MicroBatchesBelongToAStep) {
  now_ns += GetParam() * 2 * kMs;
  for (int i = 0; i < GetParam(); ++i) launch(900);
  const int batches = 2 + GetParam() % 3;
  const std::int64_t step = train_until_recognized(batches);
  ASSERT_TRUE(recognizer.pattern());
  EXPECT_EQ(recognizer.pattern()->launches, batches * 113 + 6);
  EXPECT_EQ(recognizer.steps(), step);
}

INSTANTIATE_TEST_SUITE_P(Starts, Phases, testing::Range(0, 60));

TEST_F(StepRecognizerTest, WarmUpAndLoggingAreNoSteps) {
  launch(1000, 1300);  // kernels that never come again
  std::int64_t step = 0;
  while (ends.empty() && step < 10'000) {
    train();
    if (++step % 10 == 0) launch(50, 51);
  }
  ASSERT_TRUE(recognizer.pattern());
  EXPECT_EQ(recognizer.pattern()->launches, 119);
  EXPECT_EQ(recognizer.steps(), step);
}

TEST_F(StepRecognizerTest, GraphLaunchesAreSteps) {
  for (int i = 0; i < 300; ++i) {
    now_ns += 10 * kMs;
    if (recognizer.add(7, now_ns)) ends.push_back(now_ns);
  }
  ASSERT_TRUE(recognizer.pattern());
  EXPECT_EQ(recognizer.pattern()->launches, 1);
  EXPECT_EQ(recognizer.steps(), 300);
}

TEST_F(StepRecognizerTest, WaitsWhileThereAreNewKinds) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    train();
    launch(100'000 + i);
  }
  EXPECT_FALSE(recognizer.pattern());
  EXPECT_EQ(recognizer.steps(), 0);
}

TEST_F(StepRecognizerTest, DoesNotFindStepsInIrregularLaunches) {
  std::uint64_t random = 1;
  for (int i = 0; i < 100'000; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    launch(random >> 60);
  }
  EXPECT_FALSE(recognizer.pattern());
}

}  // namespace
}  // namespace mansard::collector
