// SPDX-License-Identifier: Apache-2.0
// Reads every byte of the working set once and writes nothing: the dot product of its two halves.
#pragma once

#include <memory>
#include <string>

#include "kernels/ceilings/cpu/placement.h"
#include "kernels/device/vector_loops.h"
#include "kernels/kernel.h"

namespace mansard::kernels {

// `name`: used in messages. `placement`: if it has no touchers, each slice is on its thread's node.
std::unique_ptr<PreparedKernel> prepare_read(const std::string& name, const VectorLoops& loops,
                                             const DeviceInfo& device,
                                             const PrepareOptions& options,
                                             const Placement& placement = {});

}  // namespace mansard::kernels
