// SPDX-License-Identifier: Apache-2.0
// Not a roof: includes the driver's copy between this memory and its own pinned memory.
#include "kernels/ceilings/links/host_copy.cuh"

namespace mansard::kernels {

void register_pcie_h2d_pageable(KernelRegistry& registry) {
  KernelSpec spec = host_copy_spec<PageableBuffer, TransferDirection::to_device>(
      "pcie_h2d_pageable", "Host-to-device copy, pageable memory");
  spec.roof = false;
  registry.add(std::move(spec));
}

}  // namespace mansard::kernels
