// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/links/host_copy.cuh"

namespace mansard::kernels {

void register_pcie_h2d_pinned(KernelRegistry& registry) {
  registry.add(host_copy_spec<PinnedBuffer<std::uint32_t>, TransferDirection::to_device>(
      "pcie_h2d_pinned", "Host-to-device copy, pinned memory"));
}

}  // namespace mansard::kernels
