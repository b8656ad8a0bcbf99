// SPDX-License-Identifier: Apache-2.0
#include "empirical_roofline/compare_models.h"

#include <gtest/gtest.h>

namespace mansard::roofline {
namespace {

Ceiling ceiling(std::string id, double value, double uncertainty, const char* unit = "FLOP/s") {
  Ceiling c;
  c.id = std::move(id);
  c.unit = unit;
  c.value = value;
  c.uncertainty = uncertainty;
  return c;
}

MachineModel machine(std::string gpu, std::vector<Ceiling> ceilings) {
  DeviceModel d;
  d.device.target = kernels::Target::cuda;
  d.device.name = std::move(gpu);
  d.ceilings = std::move(ceilings);
  MachineModel m;
  m.devices = {d};
  return m;
}

const CeilingComparison& named(const std::vector<CeilingComparison>& all, const std::string& id) {
  for (const CeilingComparison& c : all) {
    if (c.id == id) return c;
  }
  throw std::out_of_range(id);
}

TEST(CompareModels, ADifferenceAboveTheCombinedUncertaintyIsSignificant) {
  const MachineModel a = machine("A", {ceiling("x", 100, 0.03), ceiling("y", 100, 0.03)});
  const MachineModel b = machine("A", {ceiling("x", 104, 0.04), ceiling("y", 106, 0.04)});
  const auto all = compare_models(a, b);
  EXPECT_DOUBLE_EQ(named(all, "x").ratio, 1.04);
  EXPECT_NEAR(named(all, "x").uncertainty, 0.05, 1e-12);
  EXPECT_FALSE(named(all, "x").significant);
  EXPECT_TRUE(named(all, "y").significant);
}

TEST(CompareModels, AShorterTimeIsBetter) {
  const auto all = compare_models(machine("A", {ceiling("launch", 4e-6, 0.01, "s")}),
                                  machine("A", {ceiling("launch", 2e-6, 0.01, "s")}));
  EXPECT_DOUBLE_EQ(named(all, "launch").ratio, 2);
}

TEST(CompareModels, WithoutUncertaintyNoDifferenceIsSignificant) {
  const auto all =
      compare_models(machine("A", {ceiling("x", 1, 0)}), machine("A", {ceiling("x", 2, 0.01)}));
  EXPECT_DOUBLE_EQ(named(all, "x").ratio, 2);
  EXPECT_FALSE(named(all, "x").significant);
}

TEST(CompareModels, DifferentDevicesAreMatchedByPositionAndMissingCeilingsListed) {
  const auto all =
      compare_models(machine("H200", {ceiling("x", 1, 0.01), ceiling("only_a", 1, 0.01)}),
                     machine("B200", {ceiling("x", 2, 0.01), ceiling("only_b", 1, 0.01)}));
  EXPECT_DOUBLE_EQ(named(all, "x").ratio, 2);
  EXPECT_EQ(named(all, "only_a").b, nullptr);
  EXPECT_EQ(named(all, "only_b").a, nullptr);
  EXPECT_EQ(named(all, "only_b").ratio, 0);
}

TEST(CompareModels, AtEqualClock) {
  Ceiling slow = ceiling("x", 90, 0.01);
  slow.fraction_of_theory_at_clock = 0.99;
  Ceiling fast = ceiling("x", 100, 0.01);
  fast.fraction_of_theory_at_clock = 0.99;
  EXPECT_DOUBLE_EQ(compare_models(machine("A", {slow}), machine("A", {fast})).at(0).ratio_at_clock,
                   1);
}

// A GPU of one file must not be compared with the host of the other.
TEST(CompareModels, AGpuIsNeverComparedWithAHost) {
  MachineModel host = machine("A", {ceiling("x", 1, 0.01)});
  host.devices[0].device.target = kernels::Target::host;
  host.devices[0].device.name = "a CPU";
  const auto all = compare_models(machine("B", {ceiling("x", 1, 0.01)}), host);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].b, nullptr);
  EXPECT_EQ(all[1].a, nullptr);
}

}  // namespace
}  // namespace mansard::roofline
