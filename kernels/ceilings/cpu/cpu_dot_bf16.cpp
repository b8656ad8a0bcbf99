// SPDX-License-Identifier: Apache-2.0
// CPUs without such an instruction have no ceiling: converting BF16 and multiplying in FP32 would
// measure the FP32 ceiling plus a conversion.
#include "kernels/ceilings/cpu/dot_kernel.h"

namespace mansard::kernels {

void register_cpu_dot_bf16(KernelRegistry& registry);
void register_cpu_dot_bf16(KernelRegistry& registry) {
  registry.add(dot_spec("cpu_dot_bf16", "BF16 dot products in vector registers on all cores",
                        "uniform multiples of 1/128 in (-1, 1)", Precision::bf16, DotUnit::vector));
}

}  // namespace mansard::kernels
