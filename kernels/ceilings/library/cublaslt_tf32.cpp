// SPDX-License-Identifier: Apache-2.0
#include "kernels/ceilings/library/frame/cublaslt_ceiling.h"

namespace mansard::kernels {

void register_cublaslt_tf32(KernelRegistry& registry);

// FLOP per clock and SM: half of BF16 (A100 and H100 whitepapers, B200 datasheet).
void register_cublaslt_tf32(KernelRegistry& registry) {
  library::LibraryGemm gemm;
  gemm.name = "cublaslt_tf32";
  gemm.summary = "cuBLASLt TF32 GEMM on FP32 data, fastest of a shape sweep";
  gemm.precision = Precision::tf32;
  // Programs pass FP32 as is, and the tensor cores drop 13 bits. The verification data have zeros
  // there, so that the check need not allow for the loss.
  gemm.operand = ElementFormat::fp32;
  gemm.checked_operand = ElementFormat::tf32;
  gemm.result = ElementFormat::fp32;
  gemm.instruction_k = 8;
  gemm.peak_per_clock = {{80, 1024}, {90, 2048}, {100, 4096}};
  registry.add(library::cublaslt_spec(gemm));
}

}  // namespace mansard::kernels
