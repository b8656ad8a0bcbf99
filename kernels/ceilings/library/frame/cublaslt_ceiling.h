// SPDX-License-Identifier: Apache-2.0
// GEMM performance reachable with NVIDIA's library: the fastest of many shapes and algorithms of
// cuBLASLt, on the requested data pattern. A practical ceiling next to that of the raw instruction.
#pragma once

#include "kernels/ceilings/library/frame/library_gemm.h"

namespace mansard::kernels::library {

KernelSpec cublaslt_spec(const LibraryGemm& gemm);

}  // namespace mansard::kernels::library
