// SPDX-License-Identifier: Apache-2.0
// Compiled by every build with CUDA; not yet run on such a GPU.
#include "kernels/ceilings/library/frame/cublaslt_ceiling.h"

namespace mansard::kernels {

void register_cublaslt_mxfp8(KernelRegistry& registry);

// FLOP per clock and SM: B200 datasheet, 4500 TFLOP/s with 148 SMs at 1.86 GHz.
void register_cublaslt_mxfp8(KernelRegistry& registry) {
  library::LibraryGemm gemm;
  gemm.name = "cublaslt_mxfp8";
  gemm.summary =
      "cuBLASLt MXFP8 GEMM, one scale per 32 elements, fastest of a shape sweep (untested)";
  gemm.precision = Precision::mxfp8;
  gemm.min_compute_capability = 100;
  gemm.operand = ElementFormat::fp8_e4m3;
  gemm.scale_block = 32;
  gemm.scale = ElementFormat::scale_e8m0;
  gemm.instruction_k = 32;
  gemm.fraction_bits = kFp8FractionBits;
  gemm.peak_per_clock = {{100, 16384}};
  registry.add(library::cublaslt_spec(gemm));
}

}  // namespace mansard::kernels
