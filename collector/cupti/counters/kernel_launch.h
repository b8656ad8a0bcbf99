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
bool is_graph_launch(CUpti_CallbackId call);
// Those that begin and end the capture of a stream into a graph.
std::span<const CUpti_CallbackId> capture_begin_calls();
std::span<const CUpti_CallbackId> capture_end_calls();

// The launch of a kernel or of a graph.
struct KernelLaunch {
  FunctionSignature signature;  // without the graph's id and the library call
  CUstream stream = nullptr;
  CUgraphExec graph = nullptr;  // null: a kernel
};

// Returns nothing if the call launches more than one kernel or graph, or is unknown.
std::optional<KernelLaunch> kernel_launch(CUpti_CallbackId id, const void* parameters);

}  // namespace mansard::collector
