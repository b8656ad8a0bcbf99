// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/pcie_link.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace mansard::kernels {
namespace {

namespace fs = std::filesystem;

// A folder tree like sysfs: a host bridge without a link, a port, and a GPU below it.
class PciePath : public testing::Test {
 protected:
  PciePath() { fs::create_directories(gpu_); }

  static void describe(const fs::path& folder, const char* state, const char* speed,
                       const char* width) {
    std::ofstream(folder / (std::string(state) + "_link_speed")) << speed << '\n';
    std::ofstream(folder / (std::string(state) + "_link_width")) << width << '\n';
  }

  const test::Scratch root_;
  const fs::path port_ = root_ / "pci0000:00" / "0000:00:01.0";
  const fs::path gpu_ = port_ / "0000:01:00.0";
};

// PCI Express 2.0, 3.0 and 5.0 with 16 lanes are quoted as 8.0, 15.75 and 63.0 GB/s.
TEST(PcieLink, RatesMatchTheGenerations) {
  EXPECT_NEAR(pcie_bytes_per_s(32e9, 16), 63.0e9, 0.05e9);
  EXPECT_NEAR(pcie_bytes_per_s(8e9, 16), 15.75e9, 0.01e9);
  EXPECT_NEAR(pcie_bytes_per_s(5e9, 16), 8.0e9, 1);
  EXPECT_NEAR(pcie_bytes_per_s(64e9, 16), 118e9, 0.05e9);
  EXPECT_EQ(pcie_bytes_per_s(32e9, 0), 0);
}

TEST_F(PciePath, IsLimitedByTheNarrowestLinkAtItsMaximumSpeed) {
  describe(gpu_, "max", "32.0 GT/s PCIe", "16");
  describe(gpu_, "current", "2.5 GT/s PCIe", "8");  // idle
  EXPECT_DOUBLE_EQ(pcie_path_bytes_per_s(gpu_), pcie_bytes_per_s(32e9, 16));
  describe(port_, "max", "16.0 GT/s PCIe", "8");
  EXPECT_DOUBLE_EQ(pcie_path_bytes_per_s(gpu_), pcie_bytes_per_s(16e9, 8));
}

TEST_F(PciePath, IgnoresAPortThatReportsLessThanTheNegotiatedRate) {
  describe(gpu_, "max", "32.0 GT/s PCIe", "16");
  describe(gpu_, "current", "32.0 GT/s PCIe", "16");
  describe(port_, "max", "2.5 GT/s PCIe", "1");
  EXPECT_DOUBLE_EQ(pcie_path_bytes_per_s(gpu_), pcie_bytes_per_s(32e9, 16));
}

TEST_F(PciePath, UnknownLinksAreZero) {
  EXPECT_EQ(pcie_path_bytes_per_s(gpu_), 0) << "no files";
  describe(gpu_, "max", "Unknown", "255");
  EXPECT_EQ(pcie_path_bytes_per_s(gpu_), 0);
  EXPECT_EQ(pcie_path_bytes_per_s(root_ / "absent"), 0);
}

TEST(PcieLink, FolderNamesAreLowerCase) {
  EXPECT_EQ(pci_folder("0000:1B:00.0"), "/sys/bus/pci/devices/0000:1b:00.0");
}

}  // namespace
}  // namespace mansard::kernels
