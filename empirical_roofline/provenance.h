// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "empirical_roofline/machine_model.h"
#include "empirical_roofline/measure/nvml_device.h"

namespace mansard::roofline {

// Returns the provenance of a measurement made now on this host. `nvml` may be null.
Provenance provenance_now(const std::string& command, const NvmlDevice* nvml);

}  // namespace mansard::roofline
