// SPDX-License-Identifier: Apache-2.0
// Without an instruction for it there is no ceiling: BF16 that is converted and multiplied in FP32
// is the FP32 ceiling and a conversion.
#include "kernels/ceilings/cpu/dot_kernel.h"

namespace mansard::kernels {

void register_cpu_dot_bf16(KernelRegistry& registry);
void register_cpu_dot_bf16(KernelRegistry& registry) {
  registry.add(dot_spec("cpu_dot_bf16", "BF16 dot products in vector registers on all cores",
                        "uniform multiples of 1/128 in (-1, 1)", Precision::bf16, DotUnit::vector));
}

}  // namespace mansard::kernels
