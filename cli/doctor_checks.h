// SPDX-License-Identifier: Apache-2.0
// What this machine allows Mansard to do, one check after the other.
#pragma once

#include <string>
#include <vector>

namespace mansard::cli {

enum class Health {
  ok,
  limited,  // something will be missing from the results
  failed,   // a command cannot work
};

struct Check {
  std::string subject;
  Health health = Health::ok;
  std::string found;
  std::string advice;  // what to do; empty when ok
};

std::vector<Check> doctor_checks();

// /proc/driver/nvidia/params says whether performance counters are for administrators only.
// Empty where that cannot be told. Exposed for tests.
std::string counter_restriction(const std::string& driver_params);

}  // namespace mansard::cli
