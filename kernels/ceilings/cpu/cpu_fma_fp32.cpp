// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/cpu/fma_kernel.h"

namespace mansard::kernels {

void register_cpu_fma_fp32(KernelRegistry& registry);
void register_cpu_fma_fp32(KernelRegistry& registry) {
  registry.add(fma_spec<float>("cpu_fma_fp32", Precision::fp32));
}

}  // namespace mansard::kernels
