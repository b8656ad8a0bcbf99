// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/cpu/dot_kernel.h"

namespace mansard::kernels {

void register_cpu_amx_bf16(KernelRegistry& registry);
void register_cpu_amx_bf16(KernelRegistry& registry) {
  registry.add(dot_spec("cpu_amx_bf16", "BF16 matrix multiplication in AMX tiles on all cores",
                        "uniform multiples of 1/16 in (-1, 1)", Precision::bf16, DotUnit::tile));
}

}  // namespace mansard::kernels
