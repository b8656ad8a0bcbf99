// SPDX-License-Identifier: Apache-2.0
// Finds the steps of a training run from NVTX ranges, or else from a repeating kernel sequence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/steps/device_timeline.h"
#include "analyzer/steps/step.h"

namespace mansard::analysis {

// Index into Profile::kernels of the record of each read launch, by reading: the launch with its
// correlation id on its device (any node of a graph); empty: none.
std::vector<std::optional<std::size_t>> records_of_readings(const store::Profile& profile);

// Counter readings taken while the profile was recorded, sorted by start: their launches have no
// kernel record. Excludes counters imported from another run, which belong to recorded kernels.
std::vector<const store::CounterReading*> readings_in_run(const store::Profile& profile);

// `activities`: of `device_id`, sorted by start. `range_name`: name prefix of the ranges that mark
// steps; empty: detected. Launches whose counters were read have no kernel record and are
// represented by their readings. Throws std::invalid_argument if no range name has the prefix.
Steps find_steps(const store::Profile& profile, const std::vector<DeviceActivity>& activities,
                 const LaunchTable& launches, std::int32_t device_id,
                 const std::string& range_name = "");

// find_steps() for each device of active_devices(), by device number; devices without steps are
// left out.
std::vector<Steps> find_steps_of_devices(const store::Profile& profile, const LaunchTable& launches,
                                         const std::string& range_name = "");

// Finds a period in `sequence` (kernel signatures as numbers), given the idle time before each
// element. Returns the start indices of the periods. Empty unless a period matches 90 % of the
// sequence, repeats at least three times and has more than one signature.
std::vector<std::size_t> find_period(const std::vector<std::uint32_t>& sequence,
                                     const std::vector<std::int64_t>& idle_before_ns);

}  // namespace mansard::analysis
