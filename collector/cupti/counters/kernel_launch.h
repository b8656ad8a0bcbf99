// SPDX-License-Identifier: Apache-2.0
// Launch parameters from a CUPTI callback.
#pragma once

#include <optional>
#include <span>

#include <cupti.h>

#include "collector/cupti/counters/launch_sampler.h"

namespace mansard::collector {

// The driver API calls that launch kernels or graphs.
std::span<const CUpti_CallbackId> launch_calls();

struct KernelLaunch {
  FunctionSignature signature;
  CUstream stream = nullptr;
};

// Returns nothing if the call launches more than one kernel (a graph) or is unknown.
std::optional<KernelLaunch> kernel_launch(CUpti_CallbackId id, const void* parameters);

}  // namespace mansard::collector
