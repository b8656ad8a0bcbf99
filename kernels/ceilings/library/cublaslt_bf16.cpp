// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/library/frame/cublaslt_ceiling.h"

namespace mansard::kernels {

void register_cublaslt_bf16(KernelRegistry& registry);

// FLOP per clock and SM: A100 whitepaper (312 TFLOP/s, 108 SMs, 1.41 GHz), H100 whitepaper (989.4
// TFLOP/s, 132 SMs, 1.83 GHz), B200 datasheet (2250 TFLOP/s, 148 SMs at 1.86 GHz).
void register_cublaslt_bf16(KernelRegistry& registry) {
  library::LibraryGemm gemm;
  gemm.name = "cublaslt_bf16";
  gemm.summary = "cuBLASLt BF16 GEMM, fastest of a shape sweep";
  gemm.precision = Precision::bf16;
  gemm.peak_per_clock = {{80, 2048}, {90, 4096}, {100, 8192}};
  registry.add(library::cublaslt_spec(gemm));
}

}  // namespace mansard::kernels
