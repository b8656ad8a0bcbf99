// SPDX-License-Identifier: Apache-2.0
// The scalar arithmetic of the scales. Comparisons are written so that NaN passes through them.
#include <limits>

#include "kernels/formats/e2m1.h"
#include "kernels/formats/fp8_format.h"
#include "kernels/nvfp4/reference.h"

namespace mansard::kernels::nvfp4::reference {
namespace {
using E4m3 = fp8::FormatTraits<fp8::Format::e4m3>;
constexpr float kFloatMax = std::numeric_limits<float>::max();
constexpr float clamp_above(float x, float limit) { return x > limit ? limit : x; }
}  // namespace

float tensor_encode_scale(float tensor_amax) {
  if (tensor_amax == 0.0f) return 1.0f;
  const float scale = clamp_above(kE2m1Max * E4m3::kMax / tensor_amax, kFloatMax);
  return scale == 0.0f ? 1.0f : scale;
}

std::uint8_t stored_scale(float block_amax, float tensor_scale) {
  constexpr float kSixth = 1.0f / 6.0f;
  const float decode = clamp_above(block_amax * (tensor_scale * kSixth), kFloatMax);
  return fp8::encode<fp8::Format::e4m3>(clamp_above(decode, E4m3::kMax));
}

float encode_scale(std::uint8_t stored, float tensor_scale) {
  return clamp_above(1.0f / (fp8::decode(fp8::Format::e4m3, stored) * (1.0f / tensor_scale)),
                     kFloatMax);
}

BlockScale block_scale(float block_amax, float tensor_scale) {
  const std::uint8_t stored = stored_scale(block_amax, tensor_scale);
  return {stored, encode_scale(stored, tensor_scale)};
}

float gemm_alpha(float amax_a, float amax_b) {
  constexpr float kFactor = 1.0f / (36.0f * 448.0f * 448.0f);
  return amax_a * amax_b * kFactor;
}

}  // namespace mansard::kernels::nvfp4::reference
