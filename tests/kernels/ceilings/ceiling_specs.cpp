// SPDX-License-Identifier: Apache-2.0
// Consistency of the ceilings' specs; no test needs a GPU.
#include <set>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "kernels/device/memory_peak.h"
#include "kernels/kernel.h"

namespace mansard::kernels {
namespace {

// An ordinal that does not exist, so that this machine's GPU is not used.
constexpr int kNoDevice = 4711;

DeviceInfo gpu(int compute_capability, double memory_bytes) {
  DeviceInfo d;
  d.target = Target::cuda;
  d.ordinal = kNoDevice;
  d.name = "made up";
  d.compute_capability = compute_capability;
  d.units = 132;
  d.boost_clock_hz = 1.98e9;
  d.memory_bytes = memory_bytes;
  d.l1_bytes = 228 << 10;
  d.l2_bytes = 50 << 20;
  return d;
}

// The CUDA attributes of an H200.
DeviceInfo h200() {
  DeviceInfo d = gpu(90, 150e9);
  d.memory_clock_hz = 3.201e9;
  d.memory_bus_bits = 6144;
  return d;
}

bool is_ceiling(const KernelSpec& spec) { return spec.role != KernelRole::operation; }

TEST(CeilingSpecs, RolesAndFieldsAreConsistent) {
  for (const KernelSpec& spec : kernel_registry().all()) {
    SCOPED_TRACE(spec.name);
    const bool has_tier = spec.level.has_value() || static_cast<bool>(spec.working_sets);
    EXPECT_EQ(spec.overhead.has_value(), spec.role == KernelRole::overhead_ceiling);
    switch (spec.role) {
      case KernelRole::compute_ceiling:
        EXPECT_TRUE(spec.unit == "FLOP/s" || spec.unit == "op/s") << spec.unit;
        EXPECT_TRUE(spec.precision.has_value() || spec.unit == "op/s");
        EXPECT_FALSE(has_tier);
        break;
      case KernelRole::bandwidth_ceiling:
      case KernelRole::latency_ceiling:
        EXPECT_TRUE(has_tier);
        EXPECT_FALSE(spec.precision.has_value());
        EXPECT_FALSE(static_cast<bool>(spec.sustained)) << "needs no second measurement under load";
        break;
      case KernelRole::overhead_ceiling:
        EXPECT_FALSE(has_tier);
        EXPECT_FALSE(spec.precision.has_value());
        EXPECT_FALSE(static_cast<bool>(spec.sustained));
        break;
      case KernelRole::operation:
        break;
    }
  }
}

TEST(CeilingSpecs, EachDescribesItsData) {
  for (const KernelSpec& spec : kernel_registry().all()) {
    if (!is_ceiling(spec)) continue;
    SCOPED_TRACE(spec.name);
    if (spec.role == KernelRole::overhead_ceiling) {
      EXPECT_FALSE(spec.uses_data_pattern);
      EXPECT_EQ(spec.fixed_pattern, "") << "overheads have no operand data";
    } else {
      EXPECT_NE(spec.uses_data_pattern, !spec.fixed_pattern.empty())
          << "either a pattern or fixed data";
    }
  }
}

TEST(CeilingSpecs, NamesCanBeTypedAndSummariesFitALine) {
  for (const KernelSpec& spec : kernel_registry().all()) {
    SCOPED_TRACE(spec.name);
    EXPECT_EQ(spec.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
              std::string::npos);
    EXPECT_FALSE(spec.summary.empty());
    EXPECT_LE(spec.summary.size(), 90u);
  }
}

// Every generation, with much and with little memory: an actionable reason, or none.
TEST(CeilingSpecs, RefusalsNameTheMissingRequirement) {
  for (const int compute_capability : {70, 75, 80, 86, 89, 90, 100, 103, 120}) {
    for (const double memory_bytes : {1e9, 150e9}) {
      const DeviceInfo device = gpu(compute_capability, memory_bytes);
      for (const KernelSpec& spec : kernel_registry().all()) {
        if (!is_ceiling(spec) || spec.target != Target::cuda) continue;
        const std::string reason = spec.unsupported(device);
        if (reason.empty()) continue;
        EXPECT_TRUE(reason.starts_with("needs ") || reason.starts_with("the device "))
            << spec.name << ": " << reason;
      }
    }
  }
}

TEST(CeilingSpecs, DeviceMemoryPeakFollowsFromItsClockAndBus) {
  EXPECT_NEAR(device_memory_peak_bytes_per_s(h200()), 4.9167e12, 1e8);
  DeviceInfo a100 = gpu(80, 80e9);  // A100 80 GB SXM: 2039 GB/s by its datasheet
  a100.memory_clock_hz = 1.593e9;
  a100.memory_bus_bits = 5120;
  EXPECT_NEAR(device_memory_peak_bytes_per_s(a100), 2.039e12, 1e9);
  EXPECT_EQ(device_memory_peak_bytes_per_s(gpu(90, 150e9)), 0) << "unknown clock and bus";
}

#if MANSARD_HAVE_CUDA

const KernelSpec& ceiling(const std::string& name) {
  const KernelSpec* spec = kernel_registry().find(name);
  if (spec == nullptr) throw std::runtime_error("no ceiling '" + name + "'");
  return *spec;
}

TEST(CeilingSpecs, DeviceMemoryCeilingsShareOnePeak) {
  int count = 0;
  for (const KernelSpec& spec : kernel_registry().all()) {
    if (spec.role != KernelRole::bandwidth_ceiling || spec.level != MemoryLevel::hbm) continue;
    SCOPED_TRACE(spec.name);
    ++count;
    ASSERT_TRUE(static_cast<bool>(spec.peak_per_s));
    EXPECT_DOUBLE_EQ(spec.peak_per_s(h200()), device_memory_peak_bytes_per_s(h200()));
    EXPECT_EQ(spec.unsupported(h200()), "");
  }
  EXPECT_GE(count, 7) << "read, write, copy, scale, triad, and two by bulk copies";
}

TEST(CeilingSpecs, DeviceMemoryCeilingsRejectSmallAndOldDevices) {
  EXPECT_EQ(ceiling("hbm_copy").unsupported(gpu(90, 4e9)), "needs 6 GiB of device memory");
  EXPECT_EQ(ceiling("hbm_read_bulk").unsupported(gpu(90, 4e9)), "needs 6 GiB of device memory");
  EXPECT_EQ(ceiling("hbm_copy").unsupported(gpu(80, 80e9)), "");
  for (const char* name : {"hbm_read_bulk", "hbm_copy_bulk", "launch_pdl"}) {
    EXPECT_TRUE(
        ceiling(name).unsupported(gpu(89, 80e9)).starts_with("needs compute capability 9.0"))
        << name;
    EXPECT_EQ(ceiling(name).unsupported(gpu(120, 80e9)), "") << name;
  }
}

TEST(CeilingSpecs, LinksOfANonexistentDeviceAreUnknown) {
  for (const char* name : {"nvlink_read", "nvlink_write", "nvlink_copy", "nvlink_copy_both"}) {
    EXPECT_TRUE(
        ceiling(name).unsupported(gpu(90, 150e9)).starts_with("needs two GPUs with peer access"))
        << name;
  }
  for (const char* name : {"pcie_h2d_pinned", "pcie_d2h_pinned", "pcie_both_pinned"}) {
    EXPECT_EQ(ceiling(name).peak_per_s(gpu(90, 150e9)), 0) << name;
  }
}

// The roof of a link is its fastest use, in one direction at a time.
TEST(CeilingSpecs, OnlyOneWayPinnedCopiesAreRoofsOfTheHostLink) {
  std::set<std::string> roofs;
  for (const KernelSpec& spec : kernel_registry().all()) {
    if (spec.level == MemoryLevel::pcie && spec.roof) roofs.insert(spec.name);
  }
  EXPECT_EQ(roofs, (std::set<std::string>{"pcie_h2d_pinned", "pcie_d2h_pinned"}));
}

// The analyzer uses the cheapest launch as the cost of a kernel, so only launches may have that
// kind.
TEST(CeilingSpecs, OverheadsHaveTheRightKind) {
  const auto kind = [](const std::string& name) -> Overhead {
    if (name.starts_with("launch_")) return Overhead::kernel_launch;
    if (name.starts_with("synchronize_")) return Overhead::synchronize;
    return name.starts_with("event_") ? Overhead::event : Overhead::copy;
  };
  std::set<Overhead> seen;
  for (const KernelSpec& spec : kernel_registry().all()) {
    if (!spec.overhead) continue;
    EXPECT_EQ(*spec.overhead, kind(spec.name)) << spec.name;
    seen.insert(*spec.overhead);
  }
  EXPECT_EQ(seen.size(), 4u) << "each kind has a ceiling";
}

#endif

}  // namespace
}  // namespace mansard::kernels
