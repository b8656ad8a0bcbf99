// SPDX-License-Identifier: Apache-2.0
// Why a GPU runs at the clock it has: the bits of NVML's nvmlClocksEventReason* (once called
// throttle reasons), as DeviceStateSample::clocks_event_reasons holds them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mansard {

struct ClocksEventReason {
  std::uint64_t bit;
  std::string_view name;
  // Whether power, heat or a brake holds the clock down, rather than a choice or nothing to do.
  bool throttles;
};

std::span<const ClocksEventReason> clocks_event_reasons();

// "software power cap, hardware thermal slowdown"; "" for none. A bit that is not known is "0x200".
std::string describe_clocks_event_reasons(std::uint64_t bits);

// Software power cap and hardware power brake.
inline constexpr std::uint64_t kPowerReasons = 0x4 | 0x80;

// The bits of those that throttle.
std::uint64_t throttling_bits(std::uint64_t bits);

}  // namespace mansard
