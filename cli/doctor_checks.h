// SPDX-License-Identifier: Apache-2.0
// The checks of `mansard doctor`: which parts of Mansard work on this machine.
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
  std::string advice;  // empty when ok
};

std::vector<Check> doctor_checks();

// Returns the restriction on performance counters in the content of /proc/driver/nvidia/params;
// empty if there is none or it is unknown. Exposed for tests.
std::string counter_restriction(const std::string& driver_params);

}  // namespace mansard::cli
