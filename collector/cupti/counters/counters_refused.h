// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "collector/cupti/counters/profiler_api.h"

namespace mansard::collector {

// CUPTI does not give the counters. what() says why, and what the user can do.
class CountersRefused : public std::runtime_error {
 public:
  CountersRefused(const ProfilerHostApi& host, CUptiResult result, const std::string& attempted);
};

}  // namespace mansard::collector
