// SPDX-License-Identifier: Apache-2.0
// Converts CUDA runtime errors to exceptions that name the failed step.
#pragma once

#include <stdexcept>
#include <string>

#include <cuda_runtime_api.h>

namespace mansard::kernels {

inline void cuda_check(cudaError_t status, const std::string& attempted) {
  if (status == cudaSuccess) return;
  throw std::runtime_error("cannot " + attempted + ": " + cudaGetErrorString(status) + " (" +
                           cudaGetErrorName(status) + ")");
}

}  // namespace mansard::kernels
