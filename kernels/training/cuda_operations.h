// SPDX-License-Identifier: Apache-2.0
// The operations of a transformer on a CUDA device.
#pragma once

#include <memory>

#include "kernels/training/operations.h"

namespace mansard::kernels {

// `stream`: a cudaStream_t of the current device. Throws std::logic_error in a build without CUDA.
std::unique_ptr<Operations> make_cuda_operations(void* stream, const OperationOptions& options);

}  // namespace mansard::kernels
