// SPDX-License-Identifier: Apache-2.0
// Compiled by every build with CUDA; not yet run on such a GPU.
#include "kernels/ceilings/library/frame/cublaslt_ceiling.h"

namespace mansard::kernels {

void register_cublaslt_nvfp4(KernelRegistry& registry);

// FLOP per clock and SM: B200 datasheet, 9000 TFLOP/s with 148 SMs at 1.86 GHz.
void register_cublaslt_nvfp4(KernelRegistry& registry) {
  library::LibraryGemm gemm;
  gemm.name = "cublaslt_nvfp4";
  gemm.summary =
      "cuBLASLt NVFP4 GEMM, one scale per 16 elements, fastest of a shape sweep (untested)";
  gemm.precision = Precision::nvfp4;
  gemm.min_compute_capability = 100;
  gemm.operand = ElementFormat::fp4_e2m1;
  gemm.scale_block = 16;
  gemm.scale = ElementFormat::scale_e4m3;
  gemm.instruction_k = 64;
  gemm.fraction_bits = kFp8FractionBits;
  gemm.peak_per_clock = {{100, 32768}};
  registry.add(library::cublaslt_spec(gemm));
}

}  // namespace mansard::kernels
