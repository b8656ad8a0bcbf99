// SPDX-License-Identifier: Apache-2.0
// What programs reach with NVIDIA's own matrix products: cuBLASLt's fastest of many shapes and
// algorithms, on the data pattern asked for. A ceiling of practice beside the raw instruction's.
#pragma once

#include "kernels/ceilings/library/frame/library_gemm.h"

namespace mansard::kernels::library {

KernelSpec cublaslt_spec(const LibraryGemm& gemm);

}  // namespace mansard::kernels::library
