// SPDX-License-Identifier: Apache-2.0
// Incomplete jobs: what is missing is said, and the other ranks are compared.
#include <fstream>

#include <gtest/gtest.h>

#include "analyzer/ranks/rank_tables.h"
#include "tests/analyzer/ranks/compared_job.h"

namespace mansard::test {
namespace {

using analysis::JobRanks;
using analysis::ProblemKind;

void expect_problem(const JobRanks& job, ProblemKind kind, const std::string& part) {
  const std::string all = problems_of(job, kind);
  EXPECT_NE(all.find(part), std::string::npos) << all;
}

TEST(JobProblems, AGapInTheNumbering) {
  const JobRanks job =
      compared(JobScenario{}, [](const auto&, Files& files) { files.erase(files.begin() + 1); });
  expect_problem(job, ProblemKind::missing, "rank 1: missing (3 of 4 ranks analyzed");
  expect_problem(job, ProblemKind::missing, "size was not recorded");
  EXPECT_EQ(job.compared, 3u);
}

TEST(JobProblems, FewerFilesThanTheRecordedSize) {
  JobScenario scenario;
  scenario.world_size = 16;
  const JobRanks job = compared(scenario);
  expect_problem(job, ProblemKind::missing, "ranks 4-15: missing (4 of 16 ranks analyzed)");
}

TEST(JobProblems, ADeadRank) {
  JobScenario scenario;
  scenario.variations[3].steps = 12;
  scenario.variations[3].complete = false;
  const JobRanks job = compared(scenario);
  expect_problem(job, ProblemKind::ended_early,
                 "rank 3: interrupted in step 12 of its profile; most ranks have 20");
  EXPECT_EQ(job.compared, 4u) << "its steps until then are compared";
  EXPECT_TRUE(job.clocks.ranks[3].shift) << "by the collectives until then";
  EXPECT_EQ(problems_of(job, ProblemKind::other_collectives), "") << "a consequence";
}

TEST(JobProblems, AnotherNumberOfSteps) {
  JobScenario scenario;
  scenario.variations[2].steps = 17;
  expect_problem(compared(scenario), ProblemKind::other_steps,
                 "rank 2: 17 steps; most ranks have 20");
}

TEST(JobProblems, AnotherNumberOfCollectives) {
  JobScenario scenario;
  scenario.variations[1].skipped_collectives = 2;
  const JobRanks job = compared(scenario);
  expect_problem(job, ProblemKind::other_collectives, "rank 1: 78 kernels of nccl");
  expect_problem(job, ProblemKind::other_collectives, "most ranks have 80");
  EXPECT_TRUE(job.clocks.ranks[1].shift) << "the first 78 are common";
}

TEST(JobProblems, NotADatabase) {
  const JobRanks job = compared(JobScenario{}, [](const auto& folder, Files& files) {
    std::ofstream(folder / "notes.sqlite") << "not a database";
    files.push_back(folder / "notes.sqlite");
  });
  expect_problem(job, ProblemKind::not_analyzed, "notes.sqlite");
  EXPECT_EQ(job.compared, 4u);
}

TEST(JobProblems, ATruncatedFile) {
  const JobRanks job = compared(JobScenario{}, [](const auto&, Files& files) {
    std::filesystem::resize_file(files[1], std::filesystem::file_size(files[1]) / 2);
  });
  expect_problem(job, ProblemKind::not_analyzed, "run-1.sqlite");
  expect_problem(job, ProblemKind::missing, "rank 1");
  EXPECT_EQ(job.compared, 3u);
}

TEST(JobProblems, AMissingFile) {
  const JobRanks job = compared(JobScenario{}, [](const auto& folder, Files& files) {
    files.push_back(folder / "run-9.sqlite");
  });
  expect_problem(job, ProblemKind::not_analyzed, "run-9.sqlite: no such file");
}

TEST(JobProblems, AFileThatIsBeingRecorded) {
  JobScenario scenario;
  scenario.variations[1].recording = true;
  const JobRanks job = compared(scenario);
  expect_problem(job, ProblemKind::not_analyzed, "run-1.sqlite: is still being recorded");
  EXPECT_EQ(job.compared, 3u);
}

TEST(JobProblems, ASecondProfileOfARank) {
  const JobRanks job = compared(JobScenario{}, [](const auto& folder, Files& files) {
    JobScenario worker;
    worker.steps = 2;
    SyntheticJob(worker).write(2, folder / "run-2.4711.sqlite");
    files.push_back(folder / "run-2.4711.sqlite");
  });
  expect_problem(job, ProblemKind::duplicate, "run-2.4711.sqlite left out");
  EXPECT_EQ(job.summaries[2].steps, 20);
}

TEST(JobProblems, AProfileOfAnEarlierRun) {
  const JobRanks job = compared(JobScenario{}, [](const auto& folder, Files& files) {
    JobScenario earlier;
    earlier.ranks = 5;
    earlier.variations[4].clock_ahead_ns = -7'200'000'000'000;
    SyntheticJob(earlier).write(4, folder / "run-4.sqlite");
    files.push_back(folder / "run-4.sqlite");
  });
  expect_problem(job, ProblemKind::other_run, "run-4.sqlite left out");
  EXPECT_EQ(job.summaries.size(), 4u);
}

TEST(JobProblems, AnotherCommand) {
  JobScenario scenario;
  scenario.variations[3].command = "python other.py";
  expect_problem(compared(scenario), ProblemKind::caveat,
                 "rank 3: another command: python other.py");
}

TEST(JobProblems, NoCollectives) {
  JobScenario scenario;
  for (int rank = 0; rank < 4; ++rank) scenario.variations[rank].skipped_collectives = 4;
  scenario.steps = 1;
  scenario.variations[2].slow_gemms = 0.4;
  const JobRanks job = compared(scenario);
  EXPECT_EQ(job.clocks.aligned, 0u);
  EXPECT_FALSE(job.aligned);
  EXPECT_EQ(job.no_clocks, "it has no collectives of NCCL");
  EXPECT_TRUE(job.arrivals.collectives.empty()) << "nothing across clocks";
  EXPECT_EQ(job.slow, std::vector<std::size_t>{2}) << "durations are compared";
  EXPECT_FALSE(job.ranks[0].wait_s);
}

TEST(JobProblems, TooFewCollectives) {
  JobScenario scenario;
  scenario.steps = 1;
  const JobRanks job = compared(scenario);
  EXPECT_EQ(job.no_clocks, "it has only 4 collectives, and 8 are needed");
}

TEST(JobProblems, NoFileAtAll) {
  try {
    compared(JobScenario{}, [](const auto& folder, Files& files) { files = {folder / "none"}; });
    ADD_FAILURE() << "not refused";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("none: no such file"), std::string::npos);
  }
}

}  // namespace
}  // namespace mansard::test
