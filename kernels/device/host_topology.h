// SPDX-License-Identifier: Apache-2.0
// The part of the host available to this process: its cores and their caches.
#pragma once

#include <string>
#include <vector>

namespace mansard::kernels {

struct HostCaches {
  double bytes = 0;  // of one cache, the smallest if they differ; 0: unknown
  int count = 0;     // caches shared by the usable cores
};

struct HostTopology {
  // The operating system's number of one hardware thread per usable core, in topology order, so
  // that adjacent entries share caches.
  std::vector<int> cpus;
  std::vector<int> nodes;      // NUMA node number for each entry of `cpus`
  int numa_nodes = 0;          // of `cpus`
  int machine_numa_nodes = 0;  // of all CPUs of the machine
  int hardware_threads = 0;    // usable, including SMT siblings
  HostCaches l1;               // data
  HostCaches l2;
  HostCaches l3;
  double memory_bytes = 0;
  std::string cpu_model;
};

// Determined with hwloc, within the process's affinity mask. Throws std::runtime_error if the
// topology cannot be read.
HostTopology read_host_topology();

}  // namespace mansard::kernels
