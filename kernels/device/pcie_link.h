// SPDX-License-Identifier: Apache-2.0
// Bandwidth of a PCI Express link, as described by the operating system.
#pragma once

#include <filesystem>
#include <string>

namespace mansard::kernels {

// Bandwidth in one direction of a link with `lanes` lanes at `transfers_per_s` each, after line
// coding and before packet headers: 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s, flits with 236 of
// 256 bytes for packets from 64 GT/s on (PCI Express Base Specification 6.0). 0 for no lanes.
double pcie_bytes_per_s(double transfers_per_s, int lanes);

// Bandwidth in one direction between the host and the function with this sysfs folder: the
// narrowest link on the path, each at its maximum speed, because idle links slow down. Ports of a
// virtual machine are ignored if they report less than the device has negotiated. 0: unknown.
double pcie_path_bytes_per_s(const std::filesystem::path& device_folder);

// The sysfs folder of a bus id in CUDA's format ("0000:1B:00.0"); Linux uses lower case.
std::filesystem::path pci_folder(std::string bus_id);

}  // namespace mansard::kernels
