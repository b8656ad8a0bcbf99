// SPDX-License-Identifier: Apache-2.0
// Plans for the host device, which every machine has.
#include "empirical_roofline/plan.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

namespace mansard::roofline {
namespace {

std::vector<PlannedMeasurement> host_plan(PlanOptions options, std::vector<std::string> only) {
  options.only = std::move(only);
  std::vector<std::string> skipped;
  return make_plan(kernels::host_device(), options, skipped);
}

TEST(Plan, EveryStepHasAUniqueId) {
  std::set<std::string> ids;
  const std::vector<PlannedMeasurement> plan = host_plan(full_plan(), {});
  for (const PlannedMeasurement& s : plan) ids.insert(s.id());
  EXPECT_EQ(ids.size(), plan.size());
  EXPECT_GT(plan.size(), 4u);
}

TEST(Plan, QuickMeasuresOnlyTheTiersOfASweep) {
  const auto quick = host_plan(quick_plan(), {"cpu_triad"});
  const auto normal = host_plan(default_plan(), {"cpu_triad"});
  EXPECT_TRUE(
      std::ranges::all_of(quick, [](const PlannedMeasurement& s) { return s.level.has_value(); }));
  EXPECT_GT(normal.size(), quick.size());
  EXPECT_EQ(std::ranges::count_if(normal, &PlannedMeasurement::is_ceiling),
            std::ranges::count_if(quick, &PlannedMeasurement::is_ceiling));
}

TEST(Plan, CeilingsGetAllCampaignsAndOtherPointsOfASweepOne) {
  PlanOptions options = default_plan();
  options.campaigns = 7;
  for (const PlannedMeasurement& s : host_plan(options, {"cpu_read", "cpu_fma_fp32"})) {
    EXPECT_EQ(s.campaigns, s.is_ceiling() ? 7 : 1) << s.id();
  }
}

TEST(Plan, OnlyWhatWasNamed) {
  for (const PlannedMeasurement& s : host_plan(default_plan(), {"cpu_fma_fp64"})) {
    EXPECT_EQ(s.spec->name, "cpu_fma_fp64");
  }
  EXPECT_NO_THROW(require_ceilings({"cpu_fma_fp64"}));
  try {
    require_ceilings({"cpu_fma_fp65"});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("cpu_fma_fp65"), std::string::npos);
  }
}

// An operation of a training step is a kernel, but not a ceiling.
TEST(Plan, OperationsAreNotCeilings) {
  for (const kernels::KernelSpec& spec : kernels::kernel_registry().all()) {
    if (spec.role == kernels::KernelRole::operation) {
      EXPECT_THROW(require_ceilings({spec.name}), std::runtime_error);
    }
  }
}

// Patterns and sustained loads on a fake GPU: the plan depends only on the kernel specs.
TEST(Plan, PatternsAndSustainedLoadsAreSeparateSteps) {
  kernels::DeviceInfo gpu;
  gpu.target = kernels::Target::cuda;
  gpu.name = "made up";
  gpu.compute_capability = 90;
  gpu.units = 132;
  gpu.memory_bytes = 80e9;
  gpu.l2_bytes = 50e6;
  std::vector<std::string> skipped;
  const std::vector<PlannedMeasurement> plan = make_plan(gpu, full_plan(), skipped);
  if (plan.empty()) GTEST_SKIP() << "a build without CUDA";
  std::set<std::string> ids;
  for (const PlannedMeasurement& s : plan) {
    ids.insert(s.id());
    EXPECT_TRUE(s.regime != Regime::sustained || s.campaigns == 1) << s.id();
  }
  for (const char* id : {"wgmma_bf16", "wgmma_bf16@zeros", "wgmma_bf16@random_uniform",
                         "wgmma_bf16@sustained", "hbm_copy"}) {
    EXPECT_TRUE(ids.contains(id)) << id;
  }
  EXPECT_FALSE(ids.contains("hbm_copy@zeros")) << "its data are fixed";
  EXPECT_TRUE(ids.contains("wgmma_bf16@random_uniform@sustained"));
  EXPECT_FALSE(ids.contains("wgmma_bf16@zeros@sustained")) << "no program's load";
  EXPECT_FALSE(ids.contains("mma_bf16@sustained")) << "wgmma draws more";
  for (const PlannedMeasurement& s : plan) {
    EXPECT_EQ(s.measure.rest, s.spec->sustained ? 1 : 0) << s.id();
  }
  EXPECT_EQ(plan.back().regime, Regime::sustained) << "heat must not precede a burst";
  EXPECT_TRUE(std::ranges::any_of(
      skipped, [](const std::string& s) { return s.find("needs compute capability") != s.npos; }));
}

}  // namespace
}  // namespace mansard::roofline
