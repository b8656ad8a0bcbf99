// SPDX-License-Identifier: Apache-2.0
// What `mansard profile --counters` would read on a chip; needs neither the chip nor a driver.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mansard::collector {

struct CounterGroup {
  std::size_t passes = 0;  // how often a kernel runs for it
  std::vector<std::string> metrics;
};

struct ChipCounters {
  std::string chip;                       // CUPTI's name, such as "GH100"
  std::optional<int> compute_capability;  // 10 * major + minor
  std::vector<CounterGroup> groups;
  std::vector<std::string> unavailable;  // of the set, on this chip
};

// All chips that this CUPTI can count on, for `set_name` (metric_sets.h), or only `chip` if it is
// not empty. Throws std::runtime_error: no CUPTI, or no such chip, with those that there are.
std::vector<ChipCounters> describe_counters(std::string_view set_name, const std::string& chip);

}  // namespace mansard::collector
