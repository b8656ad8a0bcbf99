// SPDX-License-Identifier: Apache-2.0
#include "collector/session/output_pattern.h"

#include <cstdlib>

#include <gtest/gtest.h>

namespace mansard::collector {
namespace {

class OutputPattern : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                             "PMI_RANK", "MV2_COMM_WORLD_RANK", "LOCAL_RANK"}) {
      unsetenv(name);
    }
  }
  void TearDown() override { SetUp(); }
};

TEST_F(OutputPattern, PlainNamesAreUnchanged) {
  EXPECT_EQ(expand_output_pattern("runs/a b.sqlite", 5), "runs/a b.sqlite");
}

TEST_F(OutputPattern, HostProcessAndPercent) {
  EXPECT_EQ(expand_output_pattern("%h-%p-100%%", 4711), host_name() + "-4711-100%");
}

TEST_F(OutputPattern, RankOfEachLauncher) {
  EXPECT_EQ(expand_output_pattern("r%r", 1), "r0");
  for (const char* name :
       {"SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"}) {
    setenv(name, "12", 1);
    EXPECT_EQ(expand_output_pattern("r%r", 1), "r12") << name;
    setenv("RANK", "3", 1);
    EXPECT_EQ(expand_output_pattern("r%r", 1), "r3") << "torchrun within " << name;
    SetUp();
  }
}

TEST_F(OutputPattern, EnvironmentVariable) {
  setenv("MANSARD_TEST_JOB", "77", 1);
  EXPECT_EQ(expand_output_pattern("job%q{MANSARD_TEST_JOB}.sqlite", 1), "job77.sqlite");
  unsetenv("MANSARD_TEST_JOB");
  EXPECT_EQ(expand_output_pattern("job%q{MANSARD_TEST_JOB}.sqlite", 1), "job.sqlite");
}

TEST_F(OutputPattern, UnknownPlaceholderIsRejected) {
  for (const char* pattern : {"a%", "a%x", "a%q", "a%q{X", "a%qX"}) {
    EXPECT_THROW(expand_output_pattern(pattern, 1), std::runtime_error) << pattern;
  }
}

TEST_F(OutputPattern, GlobMatchesAllProcesses) {
  EXPECT_EQ(glob_of_output_pattern("a/run-%r.sqlite"), "a/run-*.sqlite");
  EXPECT_EQ(glob_of_output_pattern("%h.%p-%q{JOB}x.100%%"), "*.*-*x.100%");
  EXPECT_EQ(glob_of_output_pattern("a%q{X"), "a*");
  EXPECT_EQ(glob_of_output_pattern("a%"), "a%");
}

TEST_F(OutputPattern, SecondProcessGetsPidBeforeExtension) {
  EXPECT_EQ(with_pid("d.x/run.sqlite", 9), std::filesystem::path("d.x/run.9.sqlite"));
  EXPECT_EQ(with_pid("run", 9), std::filesystem::path("run.9"));
}

}  // namespace
}  // namespace mansard::collector
