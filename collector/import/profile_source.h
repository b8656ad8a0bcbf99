// SPDX-License-Identifier: Apache-2.0
// Which tool recorded a profile. Imported profiles say so in the session's Mansard version.
#pragma once

#include <string_view>

#include "collector/store/profile.h"

namespace mansard::collector {

enum class ProfileSource { mansard, nsight_systems, pytorch_profiler, nsight_compute };

// Appended to the version of Mansard that imported the file.
inline constexpr std::string_view kFromPyTorchProfiler = ", from a trace of PyTorch's profiler";
inline constexpr std::string_view kFromNsightCompute = ", from a table of Nsight Compute";

// Nsight Systems: an export that Mansard opens directly (RecordingState::foreign).
ProfileSource profile_source(const store::SessionInfo& session);

// Advice, one or two sentences: how to get FLOPs and bytes for kernels of such a profile.
std::string_view how_to_get_work(ProfileSource source);

}  // namespace mansard::collector
