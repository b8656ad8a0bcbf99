// SPDX-License-Identifier: Apache-2.0
// Reads every byte of the working set once and writes none: the dot product of its two halves.
#pragma once

#include <memory>

#include "kernels/device/vector_loops.h"
#include "kernels/kernel.h"

namespace mansard {

std::unique_ptr<PreparedKernel> prepare_read(const VectorLoops& loops, const DeviceInfo& device,
                                             const PrepareOptions& options);

}  // namespace mansard
