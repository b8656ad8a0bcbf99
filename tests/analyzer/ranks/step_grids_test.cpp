// SPDX-License-Identifier: Apache-2.0
// Values by rank and step, and which files are a job.
#include "analyzer/ranks/step_grids.h"

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "analyzer/ranks/rank_files.h"
#include "tests/analyzer/ranks/compared_job.h"

namespace mansard::analysis {
namespace {

using test::JobScenario;

TEST(StepGrids, ShowTheLateRankInEveryStepAndNothingAfterItsEnd) {
  JobScenario scenario;
  scenario.steps = 12;
  scenario.variations[2].idle_ns = 400'000;
  scenario.variations[3].steps = 8;
  scenario.variations[3].complete = false;
  const JobRanks job = test::compared(scenario);
  const StepGrid arrivals = arrival_grid(job);
  const StepGrid own = own_time_grid(job);
  ASSERT_EQ(arrivals.ranks, 4U);
  ASSERT_EQ(own.steps.size(), 12U);
  for (std::size_t column = 0; column < own.steps.size(); ++column) {
    EXPECT_NEAR(own.at(2, column), 400e-6, 60e-6) << column;
    EXPECT_LT(own.at(0, column), 60e-6) << column;
    EXPECT_EQ(std::isnan(own.at(3, column)), own.steps[column] >= 8) << column;
  }
  // It is late in the first of four collectives of a step.
  for (std::size_t column = 0; column < arrivals.steps.size(); ++column) {
    EXPECT_NEAR(arrivals.at(2, column), 100e-6, 40e-6) << column;
    EXPECT_LT(arrivals.at(0, column), 40e-6) << column;
  }
  EXPECT_NEAR(full_scale_s(own), 400e-6, 60e-6);
  EXPECT_EQ(full_scale_s(StepGrid()), 0);
}

// One rank of many is more than 0.5 % of the values only in small jobs.
TEST(StepGrids, FullScaleIsThatOfALateRankButNotOfALateStep) {
  StepGrid grid;
  grid.ranks = 1000;
  grid.steps = {0, 1, 2};
  grid.values_s.assign(3000, 1e-6F);
  for (std::size_t column = 0; column < 3; ++column) grid.values_s[617 * 3 + column] = 50e-6F;
  grid.values_s[3] = 1;
  EXPECT_NEAR(full_scale_s(grid), 50e-6, 1e-9);
}

TEST(StepGrids, AreEmptyWithoutClocks) {
  JobScenario scenario;
  scenario.ranks = 1;
  const JobRanks job = test::compared(scenario);
  EXPECT_TRUE(arrival_grid(job).is_empty());
  EXPECT_EQ(full_scale_s(arrival_grid(job)), 0);
}

TEST(RankFiles, AreExpandedInOrderAndRecognized) {
  const test::Scratch scratch;
  JobScenario scenario;
  scenario.ranks = 11;
  scenario.steps = 2;
  const test::Files files = test::SyntheticJob(scenario).write_all(scratch.folder());
  EXPECT_EQ(expand_rank_files({(scratch / "run-*.sqlite").string()}), files) << "2 before 10";
  EXPECT_EQ(rank_files_in(scratch.folder()), files);
  EXPECT_THROW(expand_rank_files({(scratch / "x-*.sqlite").string()}), std::runtime_error);
  EXPECT_THROW(rank_files_in(scratch / "none"), std::runtime_error);
  EXPECT_TRUE(are_files_of_job(files));
  std::ofstream(scratch / "note.sqlite") << "not a database";
  EXPECT_TRUE(are_files_of_job({scratch / "note.sqlite", files[0], files[1]}));
  EXPECT_FALSE(are_files_of_job({scratch / "note.sqlite", files[0]}));
  EXPECT_FALSE(are_files_of_job({files[0], files[0]}));
  std::filesystem::create_directory(scratch / "empty");
  EXPECT_THROW(rank_files_in(scratch / "empty"), std::runtime_error);
}

}  // namespace
}  // namespace mansard::analysis
