// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "kernels/formats/fp8_format.h"
#include "kernels/fp8/reference.h"
#include "kernels/fp8/reference/tile.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::fp8::reference {
namespace {

float encoding_scale(Format format, float amax) {
  if (amax != amax) return kNan;
  if (amax == 0.0f || std::isinf(amax)) return 1.0f;
  const float scale = max_value(format) / amax;
  return std::isinf(scale) ? std::numeric_limits<float>::max() : scale;
}

TensorScale with_inverse(float scale) { return {scale, scale != scale ? kNan : 1.0f / scale}; }

}  // namespace

float amax(const Bf16* x, Shape shape) {
  check_shape("amax", shape);
  return nvfp4::reference::amax(x, shape);
}

TensorScale tensor_scale(Format format, float amax) {
  return with_inverse(encoding_scale(format, amax));
}

TensorScale block_scale(Format format, ScaleRounding rounding, float amax) {
  const float scale = encoding_scale(format, amax);
  // Without its mantissa a NaN would be an infinity.
  if (rounding == ScaleRounding::none || scale != scale) return with_inverse(scale);
  return with_inverse(std::bit_cast<float>(std::bit_cast<std::uint32_t>(scale) & 0xff800000u));
}

std::uint8_t mx_scale(Format format, float amax) {
  return to_e8m0(amax * (1.0f / max_value(format)));
}

void update_delayed_scale(Format format, AmaxChoice choice, float* amax, float* history, int length,
                          TensorScale* scale) {
  if (length < 1) throw std::invalid_argument("update a delayed scale: the history has no entries");
  std::copy_backward(history, history + length - 1, history + length);
  history[0] = *amax;
  *scale = tensor_scale(format,
                        choice == AmaxChoice::newest ? history[0] : max_magnitude(history, length));
  *amax = 0.0f;
}

}  // namespace mansard::kernels::fp8::reference
