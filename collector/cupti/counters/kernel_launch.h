// SPDX-License-Identifier: Apache-2.0
// What CUPTI's callback tells of a launch.
#pragma once

#include <optional>
#include <span>

#include <cupti.h>

#include "collector/cupti/counters/launch_sampler.h"

namespace mansard::collector {

// The driver's calls that launch work on a GPU: kernels, and graphs of them.
std::span<const CUpti_CallbackId> launch_calls();

struct KernelLaunch {
  LaunchSignature signature;
  CUstream stream = nullptr;
};

// None: this call launches more than one kernel (a graph), or what is not known here.
std::optional<KernelLaunch> kernel_launch(CUpti_CallbackId id, const void* parameters);

}  // namespace mansard::collector
