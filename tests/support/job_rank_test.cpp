// SPDX-License-Identifier: Apache-2.0
#include "support/job_rank.h"

#include <cstdlib>
#include <map>
#include <stdexcept>

#include <gtest/gtest.h>

namespace mansard {
namespace {

class JobRankOfEnvironment : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"RANK",
                             "WORLD_SIZE",
                             "LOCAL_RANK",
                             "LOCAL_WORLD_SIZE",
                             "MASTER_ADDR",
                             "MASTER_PORT",
                             "OMPI_COMM_WORLD_RANK",
                             "OMPI_COMM_WORLD_SIZE",
                             "OMPI_COMM_WORLD_LOCAL_RANK",
                             "OMPI_COMM_WORLD_LOCAL_SIZE",
                             "MV2_COMM_WORLD_RANK",
                             "MV2_COMM_WORLD_SIZE",
                             "SLURM_PROCID",
                             "SLURM_STEP_NUM_TASKS",
                             "SLURM_LOCALID",
                             "SLURM_STEP_NODELIST",
                             "SLURM_JOB_NODELIST",
                             "SLURM_JOB_ID",
                             "SLURM_STEP_ID",
                             "PMIX_RANK",
                             "PMIX_NAMESPACE",
                             "PMI_RANK",
                             "PMI_SIZE",
                             "MPI_LOCALRANKID",
                             "MPI_LOCALNRANKS"}) {
      unsetenv(name);
    }
  }
  void TearDown() override { SetUp(); }

  static void set(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  }
};

TEST_F(JobRankOfEnvironment, IsNullWithoutALauncher) {
  EXPECT_EQ(job_rank_of_environment(), std::nullopt);
  set({{"RANK", "3"}});
  EXPECT_EQ(job_rank_of_environment(), std::nullopt) << "no number of ranks";
}

TEST_F(JobRankOfEnvironment, ReadsTheVariablesOfEachLauncher) {
  set({{"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_LOCALID", "1"}});
  std::optional<JobRank> rank = job_rank_of_environment();
  ASSERT_TRUE(rank);
  EXPECT_EQ(rank->launcher, "Slurm");
  EXPECT_EQ(rank->rank, 5);
  EXPECT_EQ(rank->size, 8);
  EXPECT_EQ(rank->local_rank, 1);
  EXPECT_EQ(rank->local_size, 0);
  set({{"OMPI_COMM_WORLD_RANK", "2"},
       {"OMPI_COMM_WORLD_SIZE", "4"},
       {"OMPI_COMM_WORLD_LOCAL_RANK", "0"},
       {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
  rank = job_rank_of_environment();
  EXPECT_EQ(rank->launcher, "Open MPI");
  EXPECT_EQ(rank->rank, 2);
  EXPECT_EQ(rank->local_size, 2);
  set({{"RANK", "9"}, {"WORLD_SIZE", "16"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "8"}});
  rank = job_rank_of_environment();
  EXPECT_EQ(rank->launcher, "torchrun") << "more specific than the launcher of torchrun";
  EXPECT_EQ(rank->rank, 9);
  EXPECT_EQ(rank->size, 16);
}

TEST_F(JobRankOfEnvironment, IgnoresABatchScript) {
  set({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}});
  EXPECT_EQ(job_rank_of_environment(), std::nullopt);
}

TEST_F(JobRankOfEnvironment, NamesAnImpossibleVariable) {
  set({{"RANK", "4"}, {"WORLD_SIZE", "4"}});
  try {
    job_rank_of_environment();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "RANK=4 is impossible with WORLD_SIZE=4");
  }
  set({{"RANK", "first"}});
  EXPECT_THROW(job_rank_of_environment(), std::runtime_error);
}

TEST_F(JobRankOfEnvironment, RankAloneHasPriorities) {
  EXPECT_EQ(rank_of_environment(), std::nullopt);
  set({{"LOCAL_RANK", "2"}});
  EXPECT_EQ(rank_of_environment(), 2);
  set({{"SLURM_PROCID", "18"}});
  EXPECT_EQ(rank_of_environment(), 18);
  set({{"OMPI_COMM_WORLD_RANK", "7"}});
  EXPECT_EQ(rank_of_environment(), 7) << "SLURM_PROCID is that of the daemon";
  set({{"RANK", "-1"}});
  EXPECT_EQ(rank_of_environment(), 7) << "an invalid rank is ignored";
}

TEST_F(JobRankOfEnvironment, WorldSizeIsThatOfTheSameLauncher) {
  EXPECT_EQ(world_size_of_environment(), std::nullopt);
  set({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}});
  EXPECT_EQ(world_size_of_environment(), 2);
  set({{"RANK", "11"}});
  EXPECT_EQ(world_size_of_environment(), std::nullopt) << "not Slurm's number of nodes";
  set({{"WORLD_SIZE", "16"}});
  EXPECT_EQ(world_size_of_environment(), 16);
  set({{"WORLD_SIZE", "0"}});
  EXPECT_EQ(world_size_of_environment(), std::nullopt);
}

TEST_F(JobRankOfEnvironment, RanksMeetAtTheMastersAddress) {
  set({{"MASTER_ADDR", "node7"}, {"MASTER_PORT", "29400"}});
  EXPECT_EQ(rendezvous_of_environment({1, 2, 1, 2, "torchrun"}).text(), "node7:29401");
}

TEST_F(JobRankOfEnvironment, RanksOfASlurmStepMeetOnItsFirstHost) {
  const JobRank rank{1, 2, 0, 0, "Slurm"};
  EXPECT_THROW(rendezvous_of_environment(rank), std::runtime_error);
  for (const auto& [list, host] :
       std::map<std::string, std::string>{{"node[007-012,20]", "node007"},
                                          {"a1,a[2-3]", "a1"},
                                          {"gpu[3,5]", "gpu3"},
                                          {"single", "single"}}) {
    set({{"SLURM_STEP_NODELIST", list}, {"SLURM_JOB_ID", "4711"}});
    EXPECT_EQ(rendezvous_of_environment(rank).host, host);
  }
  const int port = rendezvous_of_environment(rank).port;
  EXPECT_GE(port, 10000);
  EXPECT_LT(port, 30000);
  EXPECT_EQ(rendezvous_of_environment(rank).port, port);
  set({{"SLURM_JOB_ID", "4712"}});
  EXPECT_NE(rendezvous_of_environment(rank).port, port) << "jobs on one host do not meet";
}

TEST_F(JobRankOfEnvironment, RanksOfOneHostMeetThere) {
  EXPECT_EQ(rendezvous_of_environment({0, 4, 0, 4, "Open MPI"}).host, "127.0.0.1");
}

TEST_F(JobRankOfEnvironment, RendezvousIsParsed) {
  EXPECT_EQ(parse_rendezvous("node:29400").text(), "node:29400");
  EXPECT_EQ(parse_rendezvous("[::1]:80").host, "::1");
  for (const char* bad : {"node", "node:", ":5", "node:0", "node:65536", "node:http"}) {
    EXPECT_THROW(parse_rendezvous(bad), std::runtime_error) << bad;
  }
}

}  // namespace
}  // namespace mansard
