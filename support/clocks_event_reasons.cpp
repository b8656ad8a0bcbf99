// SPDX-License-Identifier: Apache-2.0
#include "support/clocks_event_reasons.h"

#include <array>
#include <cstdio>

namespace mansard {
namespace {

constexpr std::array kReasons = {
    ClocksEventReason{0x1, "idle", false},
    ClocksEventReason{0x2, "application clocks", false},
    ClocksEventReason{0x4, "software power cap", true},
    ClocksEventReason{0x8, "hardware slowdown", true},
    ClocksEventReason{0x10, "sync boost", false},
    ClocksEventReason{0x20, "software thermal slowdown", true},
    ClocksEventReason{0x40, "hardware thermal slowdown", true},
    ClocksEventReason{0x80, "hardware power brake", true},
    ClocksEventReason{0x100, "display clocks", false},
};

}  // namespace

std::span<const ClocksEventReason> clocks_event_reasons() { return kReasons; }

std::string describe_clocks_event_reasons(std::uint64_t bits) {
  std::string text;
  const auto add = [&](std::string_view name) {
    if (!text.empty()) text += ", ";
    text += name;
  };
  for (const ClocksEventReason& reason : kReasons) {
    if ((bits & reason.bit) != 0) add(reason.name);
    bits &= ~reason.bit;
  }
  if (bits != 0) {
    char rest[24];
    std::snprintf(rest, sizeof rest, "0x%llx", static_cast<unsigned long long>(bits));
    add(rest);
  }
  return text;
}

std::uint64_t throttling_bits(std::uint64_t bits) {
  std::uint64_t throttling = 0;
  for (const ClocksEventReason& reason : kReasons) {
    if (reason.throttles) throttling |= bits & reason.bit;
  }
  return throttling;
}

}  // namespace mansard
