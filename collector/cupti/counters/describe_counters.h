// SPDX-License-Identifier: Apache-2.0
// Describes what `mansard profile --counters` would read on a chip. Needs neither the chip nor a
// driver.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mansard::collector {

struct CounterGroup {
  std::size_t passes = 0;  // how many times a kernel runs for it
  std::vector<std::string> metrics;
};

struct ChipCounters {
  std::string chip;                       // CUPTI's name, such as "GH100"
  std::optional<int> compute_capability;  // 10 * major + minor
  std::vector<CounterGroup> groups;
  std::vector<std::string> unavailable;  // metrics of the set that this chip lacks
};

// Describes `set_name` (metric_sets.h) for all chips that this CUPTI supports, or only for `chip`
// if it is not empty. Throws std::runtime_error without CUPTI, or for an unknown chip; the message
// lists the supported ones.
std::vector<ChipCounters> describe_counters(std::string_view set_name, const std::string& chip);

}  // namespace mansard::collector
