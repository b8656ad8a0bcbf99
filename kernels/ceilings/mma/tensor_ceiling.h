// SPDX-License-Identifier: Apache-2.0
// What the ceilings of all tensor-core instructions have in common.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "kernels/kernel.h"

namespace mansard::kernels {

// A format whose blocks of kScaleBlock elements along K share a factor of format `Scale`.
template <typename Format>
concept BlockScaled = requires {
  typename Format::Scale;
};

using Unsupported = std::function<std::string(const DeviceInfo&)>;

inline std::string capability_text(int capability) {
  return "needs compute capability " + std::to_string(capability / 10) + "." +
         std::to_string(capability % 10);
}

inline Unsupported needs_at_least(int capability) {
  return [capability](const DeviceInfo& device) -> std::string {
    return device.compute_capability >= capability ? ""
                                                   : capability_text(capability) + " or higher";
  };
}

inline Unsupported needs_exactly(int capability, std::string reason) {
  return [capability, reason = std::move(reason)](const DeviceInfo& device) -> std::string {
    return device.compute_capability == capability
               ? ""
               : capability_text(capability) + " (" + reason + ")";
  };
}

// Everything but the theory and the kernel itself.
template <typename Format>
KernelSpec tensor_ceiling_spec(std::string name, std::string summary, Unsupported unsupported) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.role = KernelRole::compute_ceiling;
  spec.precision = Format::kPrecision;
  if (Format::Element::kInteger) spec.unit = "op/s";
  spec.patterned = true;
  spec.sustained = [](const DeviceInfo&) { return true; };
  spec.unsupported = std::move(unsupported);
  return spec;
}

}  // namespace mansard::kernels
