// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "kernels/recipes/cublaslt.h"

namespace mansard::kernels::library {

// Readable properties of a cuBLASLt algorithm: number, tile (in cuBLASLt's column-major order),
// stages, thread block cluster and split of the reduction axis.
std::map<std::string, std::string> algorithm_parameters(const cublasLtMatmulAlgo_t& algorithm);

std::string cublaslt_version_text(std::size_t version);  // "13.1.0" from 130100

}  // namespace mansard::kernels::library
