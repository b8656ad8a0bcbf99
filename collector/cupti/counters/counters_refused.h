// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "collector/cupti/counters/profiler_api.h"

namespace mansard::collector {

// CUPTI denies access to the counters. what() states the reason and a remedy.
class CountersRefused : public std::runtime_error {
 public:
  CountersRefused(const ProfilerHostApi& host, CUptiResult result, const std::string& attempted);
};

}  // namespace mansard::collector
