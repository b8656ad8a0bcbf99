// SPDX-License-Identifier: Apache-2.0
// a = b + s * c in FP64, as STREAM defines it.
#pragma once

#include <memory>

#include "kernels/device/vector_loops.h"
#include "kernels/kernel.h"

namespace mansard::kernels {

std::unique_ptr<PreparedKernel> prepare_triad(const VectorLoops& loops, const DeviceInfo& device,
                                              const PrepareOptions& options);

}  // namespace mansard::kernels
