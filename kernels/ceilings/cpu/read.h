// SPDX-License-Identifier: Apache-2.0
// Reads every byte of the working set once and writes none: the dot product of its two halves.
#pragma once

#include <memory>
#include <string>

#include "kernels/ceilings/cpu/placement.h"
#include "kernels/device/vector_loops.h"
#include "kernels/kernel.h"

namespace mansard::kernels {

// `name`: as it stands in messages. `placement`: without any touchers, each thread's own node.
std::unique_ptr<PreparedKernel> prepare_read(const std::string& name, const VectorLoops& loops,
                                             const DeviceInfo& device,
                                             const PrepareOptions& options,
                                             const Placement& placement = {});

}  // namespace mansard::kernels
