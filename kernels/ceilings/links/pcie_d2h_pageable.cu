// SPDX-License-Identifier: Apache-2.0
// Not a roof: includes the driver's copy between this memory and its own pinned memory.
#include "kernels/ceilings/links/host_copy.cuh"

namespace mansard::kernels {

void register_pcie_d2h_pageable(KernelRegistry& registry) {
  KernelSpec spec = host_copy_spec<PageableBuffer, TransferDirection::to_host>(
      "pcie_d2h_pageable", "Device-to-host copy, pageable memory");
  spec.roof = false;
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
