// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/library/frame/cublaslt_ceiling.h"

namespace mansard::kernels {

void register_cublaslt_fp16(KernelRegistry& registry);

// FLOP per clock and SM: as for BF16 (A100 and H100 whitepapers, B200 datasheet).
void register_cublaslt_fp16(KernelRegistry& registry) {
  library::LibraryGemm gemm;
  gemm.name = "cublaslt_fp16";
  gemm.summary = "cuBLASLt FP16 GEMM, FP32 accumulation, fastest of a shape sweep";
  gemm.precision = Precision::fp16;
  gemm.min_compute_capability = 75;
  gemm.operand = ElementFormat::fp16;
  gemm.result = ElementFormat::fp16;
  gemm.peak_per_clock = {{80, 2048}, {90, 4096}, {100, 8192}};
  registry.add(library::cublaslt_spec(gemm));
}

}  // namespace mansard::kernels
