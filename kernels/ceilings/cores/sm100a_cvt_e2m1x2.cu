// SPDX-License-Identifier: Apache-2.0
// Rate of conversions from FP32 to E2M1 on compute capability 10.0. Compiled by every build with
// CUDA, but not yet run on such a GPU.
#include "kernels/ceilings/cores/e2m1_conversion.cuh"

namespace mansard::kernels {

void register_sm100a_cvt_e2m1x2(KernelRegistry& registry) {
  registry.add(cores::e2m1_spec<100>("cvt_e2m1x2_sm100", "needs compute capability 10.0"));
}

}  // namespace mansard::kernels
