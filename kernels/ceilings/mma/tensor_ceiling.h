// SPDX-License-Identifier: Apache-2.0
// Common parts of the tensor-core ceilings.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/ceilings/mma/accumulation_error.h"
#include "kernels/ceilings/mma/accumulators.h"
#include "kernels/kernel.h"

namespace mansard::kernels {

// A format without its instruction. `kBits`: fraction bits that a sum keeps.
template <typename ElementFormat, Precision kOf, int kBits, typename Sums = Fp32Accumulators>
struct TensorFormat {
  using Element = ElementFormat;
  using Accumulators = Sums;
  static constexpr Precision kPrecision = kOf;
  static constexpr int kFractionBits = kBits;
};

template <typename ElementFormat, Precision kOf, typename ScaleFormat, int kBlock>
struct ScaledTensorFormat : TensorFormat<ElementFormat, kOf, kFp8FractionBits> {
  using Scale = ScaleFormat;
  static constexpr int kScaleBlock = kBlock;
};

// A format in which kScaleBlock elements along K share a factor of format `Scale`.
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

// The spec without the theoretical peak and the kernel.
template <typename Format>
KernelSpec tensor_ceiling_spec(std::string name, std::string summary, Unsupported unsupported) {
  KernelSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.role = KernelRole::compute_ceiling;
  spec.precision = Format::kPrecision;
  if (Format::Element::kInteger) spec.unit = "op/s";
  // FP16 sums have 11 significant bits, too few for training.
  spec.roof = !std::is_same_v<typename Format::Accumulators, Fp16Accumulators>;
  spec.uses_data_pattern = true;
  spec.sustained = [](const DeviceInfo&) { return true; };
  spec.unsupported = std::move(unsupported);
  return spec;
}

}  // namespace mansard::kernels
