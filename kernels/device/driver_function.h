// SPDX-License-Identifier: Apache-2.0
// Functions of the CUDA driver that the runtime has no counterpart for, without linking libcuda.
#pragma once

#include <string>

#include <cuda_runtime_api.h>

#include "kernels/device/cuda_check.h"

namespace mansard::kernels {

// As the driver of CUDA 12.0 declares it; null if the driver does not have it. Throws
// std::runtime_error without a driver.
template <class Function>
Function driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  cuda_check(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result),
             std::string("find ") + name);
  return result == cudaDriverEntryPointSuccess ? reinterpret_cast<Function>(found) : nullptr;
}

}  // namespace mansard::kernels
