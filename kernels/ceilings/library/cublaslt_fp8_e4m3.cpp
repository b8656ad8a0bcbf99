// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/library/frame/cublaslt_ceiling.h"

namespace mansard::kernels {

void register_cublaslt_fp8_e4m3(KernelRegistry& registry);

// FLOP per clock and SM: H100 whitepaper (1978.9 TFLOP/s, 132 SMs, 1.83 GHz), B200 datasheet (4500
// TFLOP/s, 148 SMs at 1.86 GHz).
void register_cublaslt_fp8_e4m3(KernelRegistry& registry) {
  library::LibraryGemm gemm;
  gemm.name = "cublaslt_fp8_e4m3";
  gemm.summary = "cuBLASLt FP8 E4M3 GEMM, fast accumulation, fastest of a shape sweep";
  gemm.precision = Precision::fp8_e4m3;
  gemm.min_compute_capability = 89;
  gemm.operand = ElementFormat::fp8_e4m3;
  gemm.tensor_scale = true;
  gemm.fast_accumulation = true;
  gemm.instruction_k = 32;
  gemm.fraction_bits = kFp8FractionBits;
  gemm.peak_per_clock = {{90, 8192}, {100, 16384}};
  registry.add(library::cublaslt_spec(gemm));
}

}  // namespace mansard::kernels
