// SPDX-License-Identifier: Apache-2.0
// Steps found by repetition in sequences of launches, one letter or word per kernel.
#include "analyzer/steps/repetition.h"

#include <functional>
#include <random>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace mansard::test {
namespace {

using analysis::Repetition;
using analysis::SequenceItem;

// A program as a sequence of launches. "|" is a pause of the device, after which the host has
// waited for it; "G" is a graph; any other word is a kernel of 10 us.
class Program {
 public:
  Program& add(const std::string& text, int times = 1) {
    for (int i = 0; i < times; ++i) {
      std::istringstream words(text);
      for (std::string word; words >> word;) launch(word);
    }
    return *this;
  }
  // Kernels with names of their own, as of start-up.
  Program& others(int count) {
    for (int i = 0; i < count; ++i) launch("other" + std::to_string(other_++));
    return *this;
  }
  // Exchanges neighbors at random, as concurrent streams do.
  Program& shuffle(unsigned seed) {
    std::mt19937 random(seed);
    for (std::size_t i = 1; i < items.size(); ++i) {
      if (random() % 4 == 0) std::swap(items[i - 1], items[i]);
    }
    return *this;
  }
  std::optional<Repetition> find() const { return analysis::find_repetition(items); }

  std::vector<SequenceItem> items;

 private:
  void launch(const std::string& word) {
    if (word == "|") {
      pause_ = true;
      return;
    }
    SequenceItem item;
    item.signature = static_cast<std::uint32_t>(std::hash<std::string>{}(word));
    item.busy_ns = 10'000;
    item.is_graph = word == "G";
    item.marks_loop = pause_ || item.is_graph;
    item.idle_before_ns = pause_ ? 50'000 : 0;
    pause_ = false;
    items.push_back(item);
  }

  int other_ = 0;
  bool pause_ = false;
};

const std::string kForward = "norm qkv attention out norm up act down ";
const std::string kBackward = "down_b up_b act_b norm_b out_b attention_b qkv_b norm_b ";

std::string repeat(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// 4 layers: 2 + 32 + 2 + 32 + 2 launches.
const std::string kPass =
    "embed copy " + repeat(kForward, 4) + "head loss " + repeat(kBackward, 4) + "embed_b zero ";
const std::string kStep = "| " + kPass + "adam adam ";
constexpr std::size_t kItems = 72;

std::size_t steps_of(const std::optional<Repetition>& found) {
  return found ? found->bounds.size() - 1 : 0;
}

TEST(Repetition, OfEqualSteps) {
  const auto found = Program().add(kStep, 10).find();
  ASSERT_TRUE(found);
  EXPECT_EQ(steps_of(found), 10u);
  EXPECT_EQ(found->equal, 10u);
  EXPECT_EQ(found->items, kItems);
  EXPECT_EQ(found->covered, 1);
  for (std::size_t i = 0; i <= 10; ++i) EXPECT_EQ(found->bounds[i], kItems * i);
}

// Initialization and tuning launch more kernels than all steps together.
TEST(Repetition, FollowsAStartUpOfAnyLength) {
  Program program;
  program.others(300);
  for (int i = 0; i < 40; ++i) program.others(1).add("fill down", 20);
  const std::size_t start = program.items.size();
  const auto found = program.add(kStep, 10).find();
  ASSERT_TRUE(found);
  EXPECT_EQ(steps_of(found), 10u);
  EXPECT_EQ(found->bounds.front(), start);
}

// The first step compiles and tunes between its kernels.
TEST(Repetition, IncludesAFirstStepWithMoreWork) {
  Program program;
  program.others(30).add("| embed copy " + repeat(kForward, 4)).others(400);
  program.add("head loss " + repeat(kBackward, 4) + "embed_b zero").others(50).add("adam adam");
  const auto found = program.add(kStep, 9).find();
  ASSERT_TRUE(found);
  EXPECT_EQ(steps_of(found), 10u);
  EXPECT_EQ(found->equal, 9u);
  EXPECT_EQ(found->bounds.front(), 30u);
}

TEST(Repetition, ToleratesARecompilationAndEvaluations) {
  Program program;
  for (int i = 0; i < 20; ++i) {
    program.add(kStep);
    if (i == 7) program.others(200);
    if (i % 5 == 4) program.add("| embed " + repeat(kForward, 4) + "head", 2);
    if (i % 3 == 2) program.add("log");
  }
  const auto found = program.find();
  ASSERT_TRUE(found);
  EXPECT_EQ(steps_of(found), 20u);
  EXPECT_EQ(found->items, kItems);
}

TEST(Repetition, OfMicroBatchesEndsWithTheOptimizer) {
  // The optimizer takes 1 % of the time.
  const std::string step = "| " + repeat(kPass, 8) + repeat("adam ", 6);
  const auto found = Program().add(step, 6).find();
  ASSERT_TRUE(found);
  EXPECT_EQ(steps_of(found), 6u);
}

TEST(Repetition, DoesNotDependOnTheOrderOfStreams) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto found = Program().others(20).add(kStep, 12).shuffle(seed).find();
    EXPECT_EQ(steps_of(found), 12u) << seed;
  }
}

TEST(Repetition, IsNotTheLayersOfOnePass) {
  EXPECT_FALSE(Program().add("embed " + repeat(kForward, 24) + "norm_last head").find());
  // Nor those of a trace that begins and ends within the layers.
  EXPECT_FALSE(Program().add(kForward + kBackward, 4).find());
  // Nor those within the steps.
  Program two;
  two.add(kStep, 2);
  EXPECT_EQ(steps_of(two.find()), 0u);
}

TEST(Repetition, OfOneGraphIsAStepAndOfOneKernelIsNot) {
  EXPECT_EQ(steps_of(Program().others(5).add("G", 10).find()), 10u);
  EXPECT_EQ(steps_of(Program().add("| copy G", 10).find()), 10u);
  EXPECT_FALSE(Program().add("| a", 100).find());
}

// Every kernel occurs several times per step: only the order of two marks its start.
TEST(Repetition, OfKernelsThatAllOccurSeveralTimes) {
  const auto found = Program().add("f f f f b b b b b b b b", 12).find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->items, 12u);
  EXPECT_EQ(steps_of(found), 12u);
}

TEST(Repetition, IsNotInvented) {
  std::mt19937 random(3);
  Program program;
  for (int i = 0; i < 1000; ++i) program.add(std::string(1, static_cast<char>('a' + random() % 7)));
  EXPECT_FALSE(program.find());
  EXPECT_FALSE(Program().find());
  EXPECT_FALSE(Program().add("a b").find());
  EXPECT_FALSE(Program().others(1000).find());
}

}  // namespace
}  // namespace mansard::test
