// SPDX-License-Identifier: Apache-2.0
#include "kernels/device/host_topology.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <hwloc.h>
#include <memory>
#include <set>
#include <stdexcept>
#include <unistd.h>

#include "support/cpu_name.h"

namespace mansard::kernels {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
struct FreeBitmap {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

Topology load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw std::runtime_error("hwloc_topology_init failed");
  Topology topology(raw);
  if (hwloc_topology_load(raw) != 0) {
    throw std::runtime_error(std::string("hwloc cannot read this host's topology: ") +
                             std::strerror(errno) + "; check that /sys is mounted and readable");
  }
  return topology;
}

// hwloc already excludes CPUs outside the cgroup's cpuset; the affinity mask restricts them
// further.
Bitmap usable_cpus(hwloc_topology_t topology) {
  Bitmap bound(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_PROCESS) != 0) {
    hwloc_bitmap_fill(bound.get());  // binding unknown on this system: all CPUs allowed
  }
  Bitmap usable(hwloc_bitmap_alloc());
  hwloc_bitmap_and(usable.get(), bound.get(), hwloc_topology_get_allowed_cpuset(topology));
  return usable;
}

template <class Visit>
void for_each(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_bitmap_t usable,
              Visit visit) {
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr) {
    if (hwloc_bitmap_intersects(object->cpuset, usable)) visit(object);
  }
}

// The first usable hardware thread of a core. Its SMT siblings stay idle: they share the FMA units
// and caches, so they would add contention without throughput.
std::vector<int> one_cpu_per_core(hwloc_topology_t topology, hwloc_const_bitmap_t usable) {
  std::vector<int> cpus;
  Bitmap of_core(hwloc_bitmap_alloc());
  Bitmap covered(hwloc_bitmap_alloc());
  for_each(topology, HWLOC_OBJ_CORE, usable, [&](hwloc_obj_t core) {
    hwloc_bitmap_and(of_core.get(), core->cpuset, usable);
    hwloc_bitmap_or(covered.get(), covered.get(), of_core.get());
    cpus.push_back(hwloc_bitmap_first(of_core.get()));
  });
  // Some virtual machines report hardware threads without cores.
  for_each(topology, HWLOC_OBJ_PU, usable, [&](hwloc_obj_t thread) {
    if (!hwloc_bitmap_intersects(thread->cpuset, covered.get())) {
      cpus.push_back(static_cast<int>(thread->os_index));
    }
  });
  return cpus;
}

// The smallest if caches differ (performance and efficiency cores), so that a working set based on
// it fits all of them.
HostCaches caches(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_bitmap_t usable) {
  HostCaches found;
  for_each(topology, type, usable, [&](hwloc_obj_t cache) {
    const auto bytes = static_cast<double>(cache->attr->cache.size);
    if (bytes <= 0) return;
    found.bytes = found.count == 0 ? bytes : std::min(found.bytes, bytes);
    ++found.count;
  });
  return found;
}

// The larger of hwloc's sum over the NUMA nodes and the operating system's total, because the nodes
// of a virtual machine lag behind if it receives memory while running.
double memory_bytes(hwloc_topology_t topology) {
  const auto nodes = static_cast<double>(hwloc_get_root_obj(topology)->total_memory);
  const auto pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  if (!hwloc_topology_is_thissystem(topology)) return nodes;
  return std::max(nodes, pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
}

// Number of the nearest node, the first if there are several (a CPU's DRAM precedes its HBM); -1 if
// unknown.
int node_of(hwloc_topology_t topology, int cpu) {
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    if (hwloc_bitmap_isset(node->cpuset, static_cast<unsigned>(cpu))) {
      return static_cast<int>(node->os_index);
    }
  }
  return -1;
}

int machine_numa_nodes(hwloc_topology_t topology) {
  std::set<int> nodes;
  hwloc_obj_t thread = nullptr;
  while ((thread = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, thread)) != nullptr) {
    nodes.insert(node_of(topology, static_cast<int>(thread->os_index)));
  }
  return static_cast<int>(nodes.size());
}

std::string cpu_model(hwloc_topology_t topology) {
  if (std::string name = cpu_name(); !name.empty()) return name;
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_MACHINE}) {
    const hwloc_obj_t object = hwloc_get_obj_by_type(topology, type, 0);
    const char* model = object ? hwloc_obj_get_info_by_name(object, "CPUModel") : nullptr;
    if (model != nullptr && *model != '\0') return model;
  }
  return "unknown CPU";
}

}  // namespace

HostTopology read_host_topology() {
  const Topology topology = load_topology();
  const Bitmap usable = usable_cpus(topology.get());
  HostTopology host;
  host.cpus = one_cpu_per_core(topology.get(), usable.get());
  if (host.cpus.empty()) {
    throw std::runtime_error(
        "hwloc reports no core that this process may use; check its affinity mask (taskset -p)");
  }
  for (const int cpu : host.cpus) host.nodes.push_back(node_of(topology.get(), cpu));
  host.numa_nodes = static_cast<int>(std::set(host.nodes.begin(), host.nodes.end()).size());
  host.machine_numa_nodes = machine_numa_nodes(topology.get());
  host.hardware_threads = hwloc_bitmap_weight(usable.get());
  host.l1 = caches(topology.get(), HWLOC_OBJ_L1CACHE, usable.get());
  host.l2 = caches(topology.get(), HWLOC_OBJ_L2CACHE, usable.get());
  host.l3 = caches(topology.get(), HWLOC_OBJ_L3CACHE, usable.get());
  host.memory_bytes = memory_bytes(topology.get());
  host.cpu_model = cpu_model(topology.get());
  return host;
}

}  // namespace mansard::kernels
