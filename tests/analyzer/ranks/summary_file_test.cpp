// SPDX-License-Identifier: Apache-2.0
// Summaries as files, and their reuse.
#include "analyzer/ranks/summary_file.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/analyzer/ranks/compared_job.h"

namespace mansard::test {
namespace {

class SummaryFiles : public testing::Test {
 protected:
  SummaryFiles() : files_(SyntheticJob(JobScenario{}).write_all(scratch_.folder())) {
    std::filesystem::create_directory(scratch_ / "summaries");
    options_.folder = scratch_ / "summaries";
  }

  analysis::CollectedRanks collect() { return analysis::collect_summaries(files_, options_); }

  Files summaries() const {
    Files found;
    for (const auto& entry : std::filesystem::directory_iterator(options_.folder)) {
      found.push_back(entry.path());
    }
    return found;
  }

  Scratch scratch_;
  Files files_;
  analysis::SummaryOptions options_;
};

TEST_F(SummaryFiles, HaveAllThatIsCompared) {
  const analysis::JobRanks direct = analysis::compare_ranks(collect().sources);
  const analysis::JobRanks read = compared(summaries());
  ASSERT_EQ(read.ranks.size(), 4u);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(read.ranks[rank].own_s, direct.ranks[rank].own_s);
    EXPECT_EQ(read.ranks[rank].wait_s, direct.ranks[rank].wait_s);
    EXPECT_EQ(read.summaries[rank].host, direct.summaries[rank].host);
    EXPECT_EQ(read.summaries[rank].complete, true);
    EXPECT_EQ(read.summaries[rank].parts.size(), direct.summaries[rank].parts.size());
    EXPECT_EQ(read.summaries[rank].sm_clock_hz, std::nullopt) << "not sampled";
  }
  EXPECT_EQ(read.steps.size(), direct.steps.size());
}

TEST_F(SummaryFiles, AreReused) {
  EXPECT_EQ(collect().written, 4u);
  EXPECT_EQ(collect().reused, 4u);
  options_.step_range = "step";
  EXPECT_EQ(collect().written, 4u) << "other options";
  std::filesystem::last_write_time(files_[1], std::filesystem::file_time_type::clock::now());
  const analysis::CollectedRanks third = collect();
  EXPECT_EQ(third.written, 1u) << "the profile has changed";
  EXPECT_EQ(third.reused, 3u);
}

TEST_F(SummaryFiles, DamagedOnesAreMadeAgain) {
  collect();
  const std::filesystem::path damaged = analysis::summary_path(options_.folder, files_[2]);
  std::filesystem::resize_file(damaged, 3000);
  EXPECT_EQ(collect().written, 1u);
  EXPECT_EQ(analysis::read_summary(damaged).rank, 2);
}

TEST_F(SummaryFiles, OtherVersionsAreRefused) {
  collect();
  const std::filesystem::path file = analysis::summary_path(options_.folder, files_[0]);
  {
    store::Database database(file.string(), store::Database::Access::read_write);
    database.exec("UPDATE MANSARD_RANK SET version = 99");
  }
  try {
    analysis::read_summary(file);
    ADD_FAILURE() << "not refused";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("another version"), std::string::npos);
  }
  EXPECT_EQ(collect().written, 1u);
}

TEST_F(SummaryFiles, InvalidContentIsRefused) {
  collect();
  const std::filesystem::path file = analysis::summary_path(options_.folder, files_[0]);
  {
    store::Database database(file.string(), store::Database::Access::read_write);
    database.exec("UPDATE MANSARD_RANK_SAMPLE SET collective = 7");
  }
  EXPECT_THROW(analysis::read_summary(file), std::runtime_error);
}

TEST_F(SummaryFiles, ThreadsGiveTheSameResult) {
  options_.folder.clear();
  options_.jobs = 3;
  const analysis::JobRanks job = analysis::compare_ranks(collect().sources);
  const analysis::JobRanks one = compared(files_);
  ASSERT_EQ(job.ranks.size(), one.ranks.size());
  for (std::size_t rank = 0; rank < 4; ++rank) {
    EXPECT_EQ(job.ranks[rank].own_s, one.ranks[rank].own_s);
  }
}

TEST_F(SummaryFiles, AProfileIsNotASummary) {
  EXPECT_FALSE(analysis::is_summary(files_[0]));
  EXPECT_THROW(analysis::read_summary(files_[0]), std::runtime_error);
}

// After a change: MANSARD_UPDATE_GOLDEN=1 build/dev/bin/analyzer_tests
// --gtest_filter='SummarySchema.*'
TEST(SummarySchema, IsTheDocumentedOne) {
  const std::string file = MANSARD_EXAMPLES "/../docs/schema/summary.sql";
  if (std::getenv("MANSARD_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(file) << analysis::summary_schema();
  }
  std::ifstream stream(file);
  EXPECT_EQ(analysis::summary_schema(), std::string(std::istreambuf_iterator<char>(stream), {}));
}

}  // namespace
}  // namespace mansard::test
