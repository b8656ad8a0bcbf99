// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/cpu/fma_kernel.h"

namespace mansard::kernels {

void register_cpu_fma_fp64(KernelRegistry& registry);
void register_cpu_fma_fp64(KernelRegistry& registry) {
  registry.add(fma_spec<double>("cpu_fma_fp64", Precision::fp64));
}

}  // namespace mansard::kernels
