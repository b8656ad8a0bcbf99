// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/library/frame/cublaslt_ceiling.h"

namespace mansard::kernels {

void register_cublaslt_fp64(KernelRegistry& registry);

// FLOP per clock and SM of the tensor cores: A100 whitepaper (19.5 TFLOP/s, 108 SMs, 1.41 GHz),
// H100 whitepaper (66.9 TFLOP/s, 132 SMs, 1.98 GHz). GPUs without FP64 tensor cores use their few
// FP64 units.
void register_cublaslt_fp64(KernelRegistry& registry) {
  library::LibraryGemm gemm;
  gemm.name = "cublaslt_fp64";
  gemm.summary = "cuBLASLt FP64 GEMM, fastest of a sweep over shapes and layouts";
  gemm.precision = Precision::fp64;
  gemm.min_compute_capability = 75;
  gemm.operand = ElementFormat::fp64;
  gemm.result = ElementFormat::fp64;
  gemm.both_layouts = true;
  gemm.instruction_k = 4;
  gemm.fraction_bits = kFp64FractionBits;
  gemm.peak_per_clock = {{80, 128}, {90, 256}};
  registry.add(library::cublaslt_spec(gemm));
}

}  // namespace mansard::kernels
