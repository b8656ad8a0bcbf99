// SPDX-License-Identifier: Apache-2.0
// One thread follows pointers from line to line; each load depends on the previous one.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/device/instruction_set.h"
#include "kernels/kernel.h"

namespace mansard::kernels {

// Follows `accesses` pointers (a multiple of kChaseGranule) starting at `line`; returns the last
// line.
using Chase = const void* (*)(const void* line, std::int64_t accesses);

inline constexpr std::int64_t kChaseGranule = 16;

const void* chase(const void* line, std::int64_t accesses);

std::unique_ptr<PreparedKernel> prepare_latency(Chase chase, InstructionSet set,
                                                const DeviceInfo& device,
                                                const PrepareOptions& options);

}  // namespace mansard::kernels
