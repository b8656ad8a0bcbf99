// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/links/host_copy.cuh"

namespace mansard::kernels {

void register_pcie_d2h_pinned(KernelRegistry& registry) {
  registry.add(host_copy_spec<PinnedBuffer<std::uint32_t>, TransferDirection::to_host>(
      "pcie_d2h_pinned", "Device-to-host copy, pinned memory"));
}

}  // namespace mansard::kernels
