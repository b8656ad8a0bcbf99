// SPDX-License-Identifier: Apache-2.0
// The steps of a training run: by the ranges that the program has around them, or by the period of
// its kernels.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/steps/device_timeline.h"
#include "analyzer/steps/step.h"

namespace mansard::analysis {

// The readings that were taken while the profile was recorded, by start: their launches have no
// kernel record. Counters imported from another run belong to a kernel of this one instead.
std::vector<const store::CounterReading*> readings_in_run(const store::Profile& profile);

// `activities` of `device_id`, ordered by start. `range_name`: the beginning of the name of the
// ranges that are steps; empty: looked for. Launches whose counters were read have no kernel
// record; their readings stand for them. Throws std::invalid_argument, naming it, when no range has
// that name.
Steps find_steps(const store::Profile& profile, const std::vector<DeviceActivity>& activities,
                 const LaunchTable& launches, std::int32_t device_id,
                 const std::string& range_name = "");

// find_steps() for each device with kernels or graphs (without any, with copies), by device number;
// devices without steps are left out.
std::vector<Steps> find_steps_of_devices(const store::Profile& profile, const LaunchTable& launches,
                                         const std::string& range_name = "");

// Steps by the period of `sequence`, which says what ran (kernels' signatures as numbers), with
// the idle time before each: the indices at which a period begins. Empty when there is no period
// that holds for nine tenths of the sequence and three times at least, and where it is one
// signature alone.
std::vector<std::size_t> find_period(const std::vector<std::uint32_t>& sequence,
                                     const std::vector<std::int64_t>& idle_before_ns);

}  // namespace mansard::analysis
