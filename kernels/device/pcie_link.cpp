// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/pcie_link.h"

#include <algorithm>
#include <cctype>
#include <fstream>

namespace mansard::kernels {
namespace {

// The leading number of a file such as "32.0 GT/s PCIe"; 0 if there is none ("Unknown").
double leading_number(const std::filesystem::path& file) {
  double value = 0;
  std::ifstream(file) >> value;
  return value;
}

// `state`: "max" or "current".
double link_bytes_per_s(const std::filesystem::path& folder, const std::string& state) {
  return pcie_bytes_per_s(1e9 * leading_number(folder / (state + "_link_speed")),
                          static_cast<int>(leading_number(folder / (state + "_link_width"))));
}

}  // namespace

double pcie_bytes_per_s(double transfers_per_s, int lanes) {
  double coding = 236.0 / 256;
  if (transfers_per_s <= 5e9) {
    coding = 8.0 / 10;
  } else if (transfers_per_s <= 32e9) {
    coding = 128.0 / 130;
  }
  return transfers_per_s * lanes * coding / 8;
}

double pcie_path_bytes_per_s(const std::filesystem::path& device_folder) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::canonical(device_folder, error);
  if (error) return 0;
  const double negotiated = link_bytes_per_s(folder, "current");
  double narrowest = link_bytes_per_s(folder, "max");
  if (narrowest == 0) return 0;
  // Upstream ports that report their link. The walk ends at the host bridge, which has none.
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    const double above = link_bytes_per_s(folder, "max");
    if (above == 0) break;
    if (above >= negotiated) narrowest = std::min(narrowest, above);
  }
  return narrowest;
}

std::filesystem::path pci_folder(std::string bus_id) {
  for (char& c : bus_id) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::filesystem::path("/sys/bus/pci/devices") / bus_id;
}

}  // namespace mansard::kernels
