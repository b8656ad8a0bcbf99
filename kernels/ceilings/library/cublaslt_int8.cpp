// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/library/frame/cublaslt_ceiling.h"

namespace mansard::kernels {

void register_cublaslt_int8(KernelRegistry& registry);

// Operations per clock and SM: A100 whitepaper (624 TOP/s, 108 SMs, 1.41 GHz), H100 whitepaper
// (1978.9 TOP/s, 132 SMs, 1.83 GHz), B200 datasheet (4500 TOP/s, 148 SMs at 1.86 GHz).
void register_cublaslt_int8(KernelRegistry& registry) {
  library::LibraryGemm gemm;
  gemm.name = "cublaslt_int8";
  gemm.summary = "cuBLASLt INT8 GEMM, INT32 accumulation, fastest of a shape sweep";
  gemm.precision = Precision::int8;
  gemm.unit = "op/s";
  gemm.min_compute_capability = 75;
  gemm.operand = ElementFormat::int8;
  gemm.result = ElementFormat::int32;
  gemm.instruction_k = 32;
  gemm.fraction_bits = kExactFractionBits;
  gemm.peak_per_clock = {{80, 4096}, {90, 8192}, {100, 16384}};
  registry.add(library::cublaslt_spec(gemm));
}

}  // namespace mansard::kernels
