// SPDX-License-Identifier: Apache-2.0
// Tests which profiles are not merged, and the error messages.
#include <stdexcept>

#include <gtest/gtest.h>

#include "tests/collector/merge/ranks.h"

namespace mansard::collector {
namespace {

using namespace test;

class Refusal : public testing::Test {
 protected:
  Refusal() {
    b_.rank = 1;
    b_.pid = 2000;
  }

  // Checks that the error contains all of `words`.
  void expect_refused(const std::vector<std::filesystem::path>& files,
                      const std::vector<std::string>& words) {
    try {
      plan_merge(files);
      ADD_FAILURE() << "not refused";
    } catch (const std::runtime_error& error) {
      for (const std::string& word : words) {
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      }
    }
  }
  void expect_refused(const std::vector<std::string>& words) {
    expect_refused({write_rank(scratch_ / "a.sqlite", a_), write_rank(scratch_ / "b.sqlite", b_)},
                   words);
  }

  Scratch scratch_;
  RankScenario a_;
  RankScenario b_;
};

TEST_F(Refusal, OneRankTwice) {
  b_.rank = 0;
  expect_refused({"a.sqlite", "b.sqlite", "both from rank 0"});
}

TEST_F(Refusal, OneFileTwice) {
  const auto file = write_rank(scratch_ / "a.sqlite", a_);
  std::filesystem::copy_file(file, scratch_ / "copy.sqlite");
  expect_refused({file, scratch_ / "copy.sqlite"}, {"a.sqlite", "copy.sqlite", "same process"});
}

TEST_F(Refusal, AnotherCommand) {
  b_.command = "python other.py";
  expect_refused({"different jobs", "python train.py", "python other.py"});
}

TEST_F(Refusal, AnotherTime) {
  b_.clock.ahead_ns = 3'600'000'000'000;
  expect_refused({"different jobs", "before the other started"});
}

TEST_F(Refusal, TooFewCollectives) {
  a_.collectives = b_.collectives = 5;
  expect_refused({"at least 8", "5 were found"});
}

TEST_F(Refusal, UnevenCollectives) {
  b_.collectives = 99;
  expect_refused({"at least 8", "0 were found", "100 in a.sqlite", "99 in b.sqlite", "AllReduce"});
}

TEST_F(Refusal, BroadcastsAreNotMatched) {
  a_.name = b_.name = kBroadcast;
  expect_refused({"at least 8", "0 were found"});
}

TEST_F(Refusal, EndsTooFarApart) {
  a_.jitter_ns = b_.jitter_ns = 20'000'000;
  expect_refused({"cannot align", "ms apart (median)"});
}

TEST_F(Refusal, NoRank) {
  b_.rank = -1;
  expect_refused({"b.sqlite", "has no rank"});
}

TEST_F(Refusal, AlreadyMerged) {
  const auto a = write_rank(scratch_ / "a.sqlite", a_);
  write_merged(plan_merge({a, write_rank(scratch_ / "b.sqlite", b_)}), scratch_ / "all.sqlite");
  expect_refused({a, scratch_ / "all.sqlite"}, {"all.sqlite", "already a merged profile"});
}

TEST_F(Refusal, SingleFile) { expect_refused({write_rank(scratch_ / "a.sqlite", a_)}, {"two"}); }

}  // namespace
}  // namespace mansard::collector
