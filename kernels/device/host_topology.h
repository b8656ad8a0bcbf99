// SPDX-License-Identifier: Apache-2.0
// The part of the host that this process may use: its cores, and the caches behind them.
#pragma once

#include <string>
#include <vector>

namespace mansard::kernels {

struct HostCaches {
  double bytes = 0;  // of one whole cache, the smallest where they differ; 0: not reported
  int count = 0;     // caches behind the usable cores
};

struct HostTopology {
  // Operating system's number of one hardware thread on each usable core, in topology order, so
  // that neighbors share caches.
  std::vector<int> cpus;
  std::vector<int> nodes;      // of each of `cpus`: its NUMA node's number
  int numa_nodes = 0;          // behind `cpus`
  int machine_numa_nodes = 0;  // behind all of the machine's CPUs
  int hardware_threads = 0;    // usable, SMT siblings included
  HostCaches l1;               // data
  HostCaches l2;
  HostCaches l3;
  double memory_bytes = 0;
  std::string cpu_model;
};

// By hwloc, within the process's affinity mask. Throws std::runtime_error when the topology cannot
// be read.
HostTopology read_host_topology();

}  // namespace mansard::kernels
