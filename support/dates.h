// SPDX-License-Identifier: Apache-2.0
// Dates as text.
#pragma once

#include <cstdint>
#include <string>

namespace mansard {

// "2026-11-28 05:32:39": nanoseconds since 1970-01-01 UTC, in UTC.
std::string format_utc(std::int64_t utc_ns);

}  // namespace mansard
