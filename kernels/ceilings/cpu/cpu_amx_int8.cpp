// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/cpu/dot_kernel.h"

namespace mansard::kernels {

void register_cpu_amx_int8(KernelRegistry& registry);
void register_cpu_amx_int8(KernelRegistry& registry) {
  registry.add(dot_spec("cpu_amx_int8", "INT8 matrix multiplication in AMX tiles on all cores",
                        "uniform integers of 7 bits", Precision::int8, DotUnit::tile));
}

}  // namespace mansard::kernels
