// SPDX-License-Identifier: Apache-2.0
// DRAM read by the cores of another NUMA node: the bandwidth of a program whose threads and data
// are on different nodes. Not a roof.
#include "kernels/ceilings/cpu/bandwidth_kernel.h"
#include "kernels/ceilings/cpu/read.h"

namespace mansard::kernels {
namespace {

constexpr const char* kReadRemoteName = "cpu_read_remote";

std::string unsupported(const DeviceInfo& device) {
  const std::string reason = unsupported_on_host(device);
  if (!reason.empty()) return reason;
  const HostTopology host = read_host_topology();
  if (host.numa_nodes >= 2) return "";
  if (host.machine_numa_nodes < 2) return "needs two NUMA nodes; this machine has one";
  return "needs cores of two NUMA nodes; this process may run on one node of " +
         std::to_string(host.machine_numa_nodes) + " (taskset -p shows its affinity mask)";
}

std::unique_ptr<PreparedKernel> prepare(const VectorLoops& loops, const DeviceInfo& device,
                                        const PrepareOptions& options) {
  const std::string reason = unsupported(device);
  if (!reason.empty()) {
    throw std::runtime_error(std::string("cannot prepare ") + kReadRemoteName + ": " + reason);
  }
  const std::int64_t bytes = working_set_bytes(kReadRemoteName, device, options);
  if (level_holding(device, static_cast<double>(bytes)) != MemoryLevel::dram) {
    throw std::runtime_error(std::string(kReadRemoteName) +
                             " would measure the caches, not DRAM, with " +
                             format_capacity(static_cast<double>(bytes)) +
                             "; it needs more free memory or a larger working set");
  }
  return prepare_read(kReadRemoteName, loops, device, options,
                      next_node(read_host_topology().nodes));
}

}  // namespace

void register_cpu_read_remote(KernelRegistry& registry);
void register_cpu_read_remote(KernelRegistry& registry) {
  KernelSpec spec = bandwidth_spec(kReadRemoteName,
                                   "Reads from another NUMA node's memory on all cores", prepare);
  spec.level = MemoryLevel::dram;
  spec.roof = false;
  spec.unsupported = unsupported;
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
