// SPDX-License-Identifier: Apache-2.0
// Names of the bits of NVML's nvmlClocksEventReason* (formerly throttle reasons), which tell why a
// GPU runs at its current clock. DeviceStateSample::clocks_event_reasons stores them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mansard {

struct ClocksEventReason {
  std::uint64_t bit;
  std::string_view name;
  // True if power, temperature or a brake limits the clock; false for settings and idling.
  bool throttles;
};

std::span<const ClocksEventReason> clocks_event_reasons();

// "software power cap, hardware thermal slowdown"; "" for none. An unknown bit is "0x200".
std::string describe_clocks_event_reasons(std::uint64_t bits);

// Software power cap and hardware power brake.
inline constexpr std::uint64_t kPowerReasons = 0x4 | 0x80;

// Returns the bits of the reasons that throttle.
std::uint64_t throttling_bits(std::uint64_t bits);

}  // namespace mansard
