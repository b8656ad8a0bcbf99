// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/host_topology.h"

#include <cstdlib>
#include <sched.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "kernels/device/host_memory.h"
#include "kernels/device_info.h"
#include "support/cpu_name.h"

namespace mansard::kernels {
namespace {

// hwloc builds the topology described by this variable instead of the machine's.
HostTopology synthetic(const char* description) {
  setenv("HWLOC_SYNTHETIC", description, 1);
  const HostTopology host = read_host_topology();
  unsetenv("HWLOC_SYNTHETIC");
  return host;
}

// A profile names its CPU in the same way, so that its machine model is found.
TEST(HostTopology, NameOfTheCpuIsThatOfProfiles) {
  const std::string model = read_host_topology().cpu_model;
  EXPECT_EQ(model, cpu_name().empty() ? model : cpu_name());
  EXPECT_FALSE(model.empty());
}

TEST(HostTopology, UsesOneHardwareThreadPerCore) {
  const HostTopology host = synthetic(
      "Package:2 L3Cache:1(size=33554432) L2Cache:4(size=1048576) L1dCache:1(size=32768) Core:1 "
      "PU:2");
  EXPECT_EQ(host.cpus, (std::vector<int>{0, 2, 4, 6, 8, 10, 12, 14}));
  EXPECT_EQ(host.hardware_threads, 16);
  EXPECT_EQ(host.l1.bytes, 32768);
  EXPECT_EQ(host.l1.count, 8);
  EXPECT_EQ(host.l2.bytes, 1048576);
  EXPECT_EQ(host.l2.count, 8);
  EXPECT_EQ(host.l3.bytes, 33554432);
  EXPECT_EQ(host.l3.count, 2);
}

TEST(HostTopology, CountsASharedCacheOnce) {
  const HostTopology host =
      synthetic("Package:1 L2Cache:2(size=4194304) L1dCache:4(size=65536) Core:1 PU:1");
  EXPECT_EQ(host.l1.count, 8);
  EXPECT_EQ(host.l2.count, 2);
}

TEST(HostTopology, ReportsNoCacheAsZero) {
  const HostTopology host = synthetic("Package:1 Core:4 PU:1");
  EXPECT_EQ(host.cpus.size(), 4u);
  EXPECT_EQ(host.l1.bytes, 0);
  EXPECT_EQ(host.l2.count, 0);
  EXPECT_EQ(host.l3.bytes, 0);
}

TEST(HostTopology, ReportsTheNumaNodeOfEachCore) {
  const HostTopology host = synthetic("Package:2 [numa] Core:3 PU:2");
  EXPECT_EQ(host.nodes, (std::vector<int>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(host.numa_nodes, 2);
  EXPECT_EQ(host.machine_numa_nodes, 2);
}

// Each package has HBM in addition to DRAM; a core still has only one nearest node.
TEST(HostTopology, CountsOneNodeWhereACoreHasTwoKindsOfMemory) {
  const HostTopology host = synthetic("Package:1 [numa] [numa] Core:4 PU:1");
  EXPECT_EQ(host.nodes, std::vector<int>(4, host.nodes.front()));
  EXPECT_EQ(host.numa_nodes, 1);
  EXPECT_EQ(host.machine_numa_nodes, 1);
}

TEST(HostTopology, UsesHardwareThreadsIfNoCoresAreReported) {
  EXPECT_EQ(synthetic("Package:1 PU:3").cpus, (std::vector<int>{0, 1, 2}));
}

TEST(HostDevice, IsPlausible) {
  const DeviceInfo device = host_device();
  EXPECT_EQ(device.target, Target::host);
  EXPECT_FALSE(device.name.empty());
  EXPECT_FALSE(device.instruction_set.empty());
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  EXPECT_EQ(device.uuid, name);
  EXPECT_GE(device.units, 1);
  EXPECT_LE(device.units, sysconf(_SC_NPROCESSORS_CONF));
  EXPECT_GT(device.memory_bytes, 64e6);
  EXPECT_GT(available_memory_bytes(), 0);
  EXPECT_LE(available_memory_bytes(), device.memory_bytes);
  if (device.l1_bytes > 0) {
    EXPECT_GE(device.l1_bytes, 4096);
    EXPECT_GE(device.l1_count, 1);
    EXPECT_LE(device.l1_count, device.units);
  }
  if (device.l2_bytes > 0) {
    EXPECT_GT(device.l2_bytes, device.l1_bytes);
    EXPECT_LE(device.l2_count, device.units);
  }
  if (device.l3_bytes > 0) {
    EXPECT_LE(device.l3_count, device.units);
  }
}

TEST(HostDevice, CountsOnlyTheCoresOfTheAffinityMask) {
  cpu_set_t before;
  if (sched_getaffinity(0, sizeof before, &before) != 0) GTEST_SKIP() << "more than 1024 CPUs";
  int last = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &before)) last = cpu;
  }
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const DeviceInfo device = host_device();
  const std::vector<int> cpus = read_host_topology().cpus;
  sched_setaffinity(0, sizeof before, &before);
  EXPECT_EQ(device.units, 1);
  EXPECT_LE(device.l1_count, 1);
  EXPECT_LE(device.l3_count, 1);
  EXPECT_EQ(cpus, std::vector<int>{last});
}

}  // namespace
}  // namespace mansard::kernels
