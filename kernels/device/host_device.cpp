// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <unistd.h>

#include "kernels/device/host_topology.h"
#include "kernels/device/instruction_set.h"
#include "kernels/device_info.h"

namespace mansard::kernels {
namespace {

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// Highest maximum clock of the usable cores, from Linux's cpufreq; absent in most virtual machines.
double boost_clock_hz(const std::vector<int>& cpus) {
  double highest_hz = 0;
  for (const int cpu : cpus) {
    std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                       "/cpufreq/cpuinfo_max_freq");
    double khz = 0;
    if (file >> khz) highest_hz = std::max(highest_hz, 1e3 * khz);
  }
  return highest_hz;
}

}  // namespace

DeviceInfo host_device() {
  const HostTopology host = read_host_topology();
  DeviceInfo device;
  device.target = Target::host;
  device.name = host.cpu_model;
  device.uuid = host_name();
  device.units = static_cast<int>(host.cpus.size());
  device.boost_clock_hz = boost_clock_hz(host.cpus);
  device.memory_bytes = host.memory_bytes;
  device.l1_bytes = host.l1.bytes;
  device.l2_bytes = host.l2.bytes;
  device.l3_bytes = host.l3.bytes;
  device.l1_count = host.l1.count;
  device.l2_count = host.l2.count;
  device.l3_count = host.l3.count;
  device.instruction_set = to_string(supported_instruction_sets().back());
  return device;
}

}  // namespace mansard::kernels
