// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "empirical_roofline/machine_model.h"
#include "empirical_roofline/measure/nvml_device.h"

namespace mansard::roofline {

// Of a measurement made now by this program on this host; `nvml` may be null.
Provenance provenance_now(const std::string& command, const NvmlDevice* nvml);

}  // namespace mansard::roofline
