// SPDX-License-Identifier: Apache-2.0
// What a PCI Express link can carry, as the operating system describes it.
#pragma once

#include <filesystem>
#include <string>

namespace mansard::kernels {

// One direction of a link of `lanes` lanes with `transfers_per_s` on each, after its line coding
// and before packet headers: 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s, flits with 236 of 256
// bytes for packets from 64 GT/s on (PCI Express Base Specification 6.0). 0 for no lanes.
double pcie_bytes_per_s(double transfers_per_s, int lanes);

// One direction between the host and the function whose folder in sysfs this is: the narrowest of
// the links on the way up, each at its highest speed, for links slow down while they are idle. A
// virtual machine's ports can claim less than the device has negotiated; they are not believed.
// 0: not known.
double pcie_path_bytes_per_s(const std::filesystem::path& device_folder);

// The folder of a bus id as CUDA writes it ("0000:1B:00.0"). Linux has it in lower case.
std::filesystem::path pci_folder(std::string bus_id);

}  // namespace mansard::kernels
