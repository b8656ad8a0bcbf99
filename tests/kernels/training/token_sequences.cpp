// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/token_sequences.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/sanitizers.h"
#include "tests/support/scratch.h"

namespace mansard::kernels {
namespace {

using Split = TokenSequences::Split;
using Validation = TokenSequences::Validation;

// Text of `bytes` whose bytes at distances of less than 251 differ.
class TokenSequencesTest : public testing::Test {
 protected:
  TokenData text(std::int64_t bytes) const {
    std::ofstream out(scratch / "text", std::ios::binary);
    for (std::int64_t i = 0; i < bytes; ++i) out.put(static_cast<char>(1 + i % 251));
    out.close();
    return TokenData::open(scratch / "text");
  }

  test::Scratch scratch;
};

std::vector<std::int64_t> training_windows(const TokenSequences& sequences, std::int64_t first,
                                           std::int64_t count) {
  std::vector<std::int64_t> windows;
  for (std::int64_t i = first; i < first + count; ++i) {
    windows.push_back(sequences.window(Split::training, i));
  }
  return windows;
}

std::vector<std::int64_t> epoch(const TokenSequences& sequences, std::int64_t number) {
  const std::int64_t count = sequences.windows(Split::training);
  return training_windows(sequences, number * count, count);
}

std::vector<std::int64_t> sorted(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<std::int64_t> first_numbers(std::int64_t count) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST_F(TokenSequencesTest, WindowsOverlapByOneToken) {
  const TokenData data = text(8 * 10 + 1);
  const TokenSequences sequences(data, 8, 0, Validation::all);
  ASSERT_EQ(sequences.windows(Split::validation), 10);
  std::int32_t previous_last = 1;
  for (std::int64_t i = 0; i < 10; ++i) {
    std::vector<std::int32_t> inputs(9, -1), targets(9, -1);
    sequences.read(Split::validation, i, inputs.data(), targets.data());
    EXPECT_EQ(inputs[0], previous_last);
    for (std::int32_t t = 0; t < 8; ++t) {
      EXPECT_EQ(inputs[static_cast<std::size_t>(t)], 1 + 8 * i + t);
      EXPECT_EQ(targets[static_cast<std::size_t>(t)], 2 + 8 * i + t);
    }
    EXPECT_EQ(inputs[8], -1);
    EXPECT_EQ(targets[8], -1);
    previous_last = targets[7];
  }
}

TEST_F(TokenSequencesTest, UsesWholeWindowsOnly) {
  for (const auto& [tokens, windows] :
       {std::pair{9, 1}, {16, 1}, {17, 2}, {24, 2}, {25, 3}, {26, 3}}) {
    const TokenData data = text(tokens);
    EXPECT_EQ(TokenSequences(data, 8, 0).windows(Split::training), windows) << tokens;
  }
  const TokenData data = text(8);
  try {
    TokenSequences(data, 8, 0);
    ADD_FAILURE() << "8 tokens are not a window of 9";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what())
                  .find((scratch / "text").string() +
                        "' has only 8 tokens, and a sequence of 8 needs 9; use more data"),
              std::string::npos)
        << error.what();
  }
  EXPECT_THROW(TokenSequences(data, 0, 0), std::invalid_argument);
  EXPECT_EQ(TokenSequences(data, 1, 0).windows(Split::training), 7);
}

TEST_F(TokenSequencesTest, HoldsOutEvery50thWindow) {
  for (const std::int64_t windows : {1, 49, 50, 51, 99, 100, 101, 1234}) {
    const TokenData data = text(windows + 1);
    const TokenSequences sequences(data, 1, 3);
    std::vector<std::int64_t> training, validation;
    for (std::int64_t i = 0; i < windows; ++i) {
      (i % 50 == 49 ? validation : training).push_back(i);
    }
    EXPECT_EQ(sorted(epoch(sequences, 0)), training);
    ASSERT_EQ(sequences.windows(Split::validation), std::ssize(validation));
    for (std::int64_t i = 0; i < std::ssize(validation); ++i) {
      EXPECT_EQ(sequences.window(Split::validation, i), validation[static_cast<std::size_t>(i)]);
    }
  }
}

TEST_F(TokenSequencesTest, SeparateValidationDataKeepsAllWindowsOfBoth) {
  const TokenData data = text(201);
  const TokenSequences training(data, 1, 0, Validation::none);
  EXPECT_EQ(training.windows(Split::validation), 0);
  EXPECT_EQ(sorted(epoch(training, 0)), first_numbers(200));
  const TokenSequences validation(data, 1, 0, Validation::all);
  EXPECT_EQ(validation.windows(Split::training), 0);
  EXPECT_EQ(validation.windows(Split::validation), 200);
  EXPECT_EQ(validation.window(Split::validation, 199), 199);
}

TEST_F(TokenSequencesTest, RejectsPositionsWithoutAWindow) {
  const TokenData data = text(101);
  const TokenSequences sequences(data, 1, 0), training(data, 1, 0, Validation::none),
      validation(data, 1, 0, Validation::all);
  std::int32_t input = 0, target = 0;
  EXPECT_THROW(sequences.read(Split::validation, 2, &input, &target), std::out_of_range);
  EXPECT_THROW(sequences.read(Split::validation, -1, &input, &target), std::out_of_range);
  EXPECT_THROW(sequences.read(Split::training, -1, &input, &target), std::out_of_range);
  EXPECT_THROW(training.read(Split::validation, 0, &input, &target), std::out_of_range);
  EXPECT_THROW(validation.read(Split::training, 0, &input, &target), std::out_of_range);
  EXPECT_NO_THROW(sequences.read(Split::training, 1'000'000'000'000, &input, &target));
}

TEST_F(TokenSequencesTest, EveryEpochVisitsEachWindowOnce) {
  for (const std::int64_t windows : {1, 2, 3, 4, 5, 15, 16, 17, 1000, 1024, 1025}) {
    const TokenData data = text(windows + 1);
    const TokenSequences sequences(data, 1, 42, Validation::none);
    for (const std::int64_t number : {0, 1, 2, 1000}) {
      EXPECT_EQ(sorted(epoch(sequences, number)), first_numbers(windows))
          << windows << " windows, epoch " << number;
    }
  }
}

TEST_F(TokenSequencesTest, OrdersDifferBetweenEpochsAndSeeds) {
  const TokenData data = text(1001);
  std::set<std::vector<std::int64_t>> orders = {first_numbers(1000)};
  for (const std::uint64_t seed : {0u, 1u, 2u, 1u << 31}) {
    const TokenSequences sequences(data, 1, seed, Validation::none);
    for (std::int64_t number = 0; number < 5; ++number) orders.insert(epoch(sequences, number));
  }
  EXPECT_EQ(orders.size(), 21u);
}

// Each window is equally likely at each of three positions (chi-squared of 9 degrees of freedom is
// below 33.7 with a probability of 0.9999), and no window has its neighbor as a common successor.
TEST_F(TokenSequencesTest, OrdersAreUniform) {
  const TokenData data = text(11);
  const TokenSequences sequences(data, 1, 7, Validation::none);
  constexpr std::int64_t kEpochs = 10000;
  for (const std::int64_t position : {0, 4, 9}) {
    std::vector<double> visits(10);
    for (std::int64_t number = 0; number < kEpochs; ++number) {
      ++visits[static_cast<std::size_t>(sequences.window(Split::training, 10 * number + position))];
    }
    double chi_squared = 0;
    for (const double v : visits) chi_squared += std::pow(v - kEpochs / 10., 2) / (kEpochs / 10.);
    EXPECT_LT(chi_squared, 33.7) << position;
  }
  const TokenData larger = text(100'001);
  const std::vector<std::int64_t> order = epoch(TokenSequences(larger, 1, 7, Validation::none), 0);
  std::int64_t successors = 0;
  for (std::size_t i = 1; i < order.size(); ++i) successors += order[i] == order[i - 1] + 1;
  EXPECT_LT(successors, 10) << "1 expected";
}

TEST_F(TokenSequencesTest, ResumesFromAPosition) {
  const TokenData data = text(8 * 321 + 1);
  const TokenSequences started(data, 8, 5);
  const std::vector<std::int64_t> all = training_windows(started, 0, 1000);  // several epochs
  const TokenSequences resumed(data, 8, 5);
  for (const std::int64_t at : {1, 314, 315, 316, 999}) {
    EXPECT_EQ(training_windows(resumed, at, 1000 - at),
              std::vector<std::int64_t>(all.begin() + at, all.end()));
  }
}

// Checkpoints of earlier versions must continue with the same data.
TEST_F(TokenSequencesTest, OrderIsThatOfEarlierVersions) {
  const TokenData data = text(101);
  const TokenSequences sequences(data, 1, 1234);
  EXPECT_EQ(training_windows(sequences, 0, 6), (std::vector<std::int64_t>{60, 44, 22, 47, 46, 86}));
  EXPECT_EQ(training_windows(sequences, 98 * 7, 6),
            (std::vector<std::int64_t>{31, 27, 87, 15, 34, 46}));
}

TEST_F(TokenSequencesTest, ReadsABatchInMuchLessThanAMillisecond) {
  if (!test::kHasFullSpeed) GTEST_SKIP() << "needs an optimized build without a sanitizer";
  const TokenData data = text(20'000'000);
  const TokenSequences sequences(data, 1024, 0);
  std::vector<std::int32_t> inputs(16 * 1024), targets(16 * 1024);
  double best_s = 1;
  for (std::int64_t batch = 0; batch < 200; ++batch) {
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < 16; ++i) {
      sequences.read(Split::training, 16 * batch + i, &inputs[static_cast<std::size_t>(1024 * i)],
                     &targets[static_cast<std::size_t>(1024 * i)]);
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best_s = std::min(best_s, elapsed.count());
  }
  EXPECT_LT(best_s, 0.5e-3);
  RecordProperty("microseconds", std::to_string(1e6 * best_s));
}

}  // namespace
}  // namespace mansard::kernels
