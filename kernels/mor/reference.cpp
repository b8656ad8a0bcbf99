// SPDX-License-Identifier: Apache-2.0
#include "kernels/mor/reference.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>

#include "kernels/device/parallel.h"
#include "kernels/fp8/dispatch.h"
#include "kernels/nvfp4/layout.h"

namespace mansard::kernels::mor::reference {
namespace {

// floor(log2(x)) for a positive finite x; 0 for 0.
int binade(float x) { return x == 0.0f ? 0 : std::ilogb(x); }

}  // namespace

float group_mantissa(float tensor_amax) {
  if (tensor_amax == 0.0f || !std::isfinite(tensor_amax)) return 1.0f;
  // A BF16 mantissa has eight bits, so the quotient of the mantissas is one of integers.
  const auto amax =
      static_cast<std::uint32_t>(128.0f * std::scalbn(tensor_amax, -binade(tensor_amax)));
  constexpr std::uint32_t kOne = 1u << 23;
  constexpr std::uint32_t kLargest = 224;  // 1.75 * 128
  const std::uint32_t m = (amax <= kLargest ? kLargest : 2 * kLargest) * kOne / amax;
  return static_cast<float>(m) / kOne;
}

BlockScale block_scale(fp8::Format format, float block_amax, float mantissa) {
  int exponent = 0;
  if (block_amax != 0.0f) {
    // Without its power of two, the scaled amax is in [1, 4), and the format's maximum is 1.75.
    const float scaled = std::scalbn(block_amax, -binade(block_amax)) * mantissa;
    exponent = binade(fp8::max_value(format)) - binade(block_amax);
    if (scaled > 1.75f) --exponent;
    if (scaled > 3.5f) --exponent;
  }
  exponent = std::min(exponent, kLargestExponent);
  return {std::scalbn(mantissa, exponent), std::scalbn(1.0f / mantissa, -exponent)};
}

namespace {

// A block of a matrix, or the part of it that is inside.
struct Block {
  std::int64_t first;  // index of its first element
  std::int64_t rows, cols, stride;

  std::uint64_t elements() const { return static_cast<std::uint64_t>(rows * cols); }
};

// Calls body(block) for all blocks, in parallel.
template <typename Body>
void for_each_block(Shape shape, const Body& body) {
  const std::int64_t across = ceil_div(shape.cols, kBlock);
  parallel_for(ceil_div(shape.rows, kBlock) * across, [&](std::int64_t i) {
    const std::int64_t row = i / across * kBlock;
    const std::int64_t col = i % across * kBlock;
    body(Block{row * shape.cols + col, std::min<std::int64_t>(kBlock, shape.rows - row),
               std::min<std::int64_t>(kBlock, shape.cols - col), shape.cols});
  });
}

// Calls body(index of an element) for the elements of a block.
template <typename Body>
void for_each_element(const Block& block, const Body& body) {
  for (std::int64_t row = 0; row < block.rows; ++row) {
    const std::int64_t first = block.first + row * block.stride;
    for (std::int64_t i = first; i < first + block.cols; ++i) body(i);
  }
}

float amax_of(const Bf16* x, const Block& block) {
  std::uint16_t largest = 0;
  for_each_element(block, [&](std::int64_t i) {
    largest = std::max<std::uint16_t>(largest, x[i].bits & bf16::kMagnitudeMask);
  });
  return bf16::to_float({largest});
}

template <fp8::Format F>
Bf16 value_of(Bf16 x, const BlockScale& scale) {
  const std::uint8_t code = fp8::encode<F>(bf16::to_float(x) * scale.encode);
  return bf16::from_float(fp8::decode(F, code) * scale.decode);
}

// Rounds the terms of an error up to integers.
class Terms {
 public:
  explicit Terms(float amax) : per_unit_(std::ldexp(1.0, kSumBits - binade(amax))) {}
  std::uint64_t of(float magnitude) const {
    const double scaled = double{magnitude} * per_unit_;
    const auto whole = static_cast<std::uint64_t>(scaled);
    return whole + (static_cast<double>(whole) < scaled ? 1 : 0);
  }

 private:
  double per_unit_;
};

std::uint64_t sum_of_magnitudes(const Bf16* x, const Block& block, const Terms& terms) {
  std::uint64_t sum = 0;
  for_each_element(block,
                   [&](std::int64_t i) { sum += terms.of(std::fabs(bf16::to_float(x[i]))); });
  return sum;
}

std::uint64_t sum_of_errors(fp8::Format format, const Bf16* x, const Block& block,
                            const BlockScale& scale, const Terms& terms) {
  std::uint64_t sum = 0;
  fp8::for_format(format, [&](auto f) {
    for_each_element(block, [&](std::int64_t i) {
      const float value = bf16::to_float(value_of<f.value>(x[i], scale));
      sum += terms.of(std::fabs(bf16::to_float(x[i]) - value));
    });
  });
  return sum;
}

fp8::Format format_of(Representation representation) {
  return representation == Representation::e4m3 ? fp8::Format::e4m3 : fp8::Format::e5m2;
}

void write(const Bf16* x, const Block& block, Representation representation, float amax,
           float mantissa, Bf16* out) {
  if (representation == Representation::bf16) {
    for_each_element(block, [&](std::int64_t i) { out[i] = x[i]; });
    return;
  }
  fp8::for_format(format_of(representation), [&](auto f) {
    const BlockScale scale = block_scale(f.value, amax, mantissa);
    for_each_element(block, [&](std::int64_t i) { out[i] = value_of<f.value>(x[i], scale); });
  });
}

Representation choose_for_block(const Bf16* x, const Block& block, float amax, float mantissa,
                                float threshold) {
  if (!std::isfinite(amax)) return Representation::bf16;
  const Terms terms(amax);
  const std::uint64_t magnitude = sum_of_magnitudes(x, block, terms);
  for (const Representation r : {Representation::e4m3, Representation::e5m2}) {
    const fp8::Format format = format_of(r);
    const BlockScale scale = block_scale(format, amax, mantissa);
    if (is_acceptable(sum_of_errors(format, x, block, scale, terms), magnitude, threshold)) {
      return r;
    }
  }
  return Representation::bf16;
}

void count(Representation representation, std::uint64_t elements, Counts* counts) {
  const auto r = static_cast<std::size_t>(representation);
  std::atomic_ref(counts->blocks[r]) += 1;
  std::atomic_ref(counts->elements[r]) += elements;
}

}  // namespace

void quantize_blocks(const Bf16* x, Shape shape, float tensor_amax, float threshold, Counts* counts,
                     Bf16* out) {
  nvfp4::require_shape("MoR by blocks", shape);
  const float mantissa = group_mantissa(tensor_amax);
  for_each_block(shape, [&](const Block& block) {
    const float amax = amax_of(x, block);
    const Representation chosen = choose_for_block(x, block, amax, mantissa, threshold);
    write(x, block, chosen, amax, mantissa, out);
    count(chosen, block.elements(), counts);
  });
}

void choose(const Bf16* x, Shape shape, float tensor_amax, float threshold, Counts* counts,
            TensorChoice* choice) {
  nvfp4::require_shape("MoR of a tensor", shape);
  Representation chosen = Representation::bf16;
  if (std::isfinite(tensor_amax)) {
    const float mantissa = group_mantissa(tensor_amax);
    const Terms terms(tensor_amax);
    std::atomic<std::uint64_t> magnitude = 0, e4m3 = 0, e5m2 = 0;
    for_each_block(shape, [&](const Block& block) {
      const auto error = [&](fp8::Format format) {
        return sum_of_errors(format, x, block, block_scale(format, tensor_amax, mantissa), terms);
      };
      magnitude += sum_of_magnitudes(x, block, terms);
      e4m3 += error(fp8::Format::e4m3);
      e5m2 += error(fp8::Format::e5m2);
    });
    if (is_acceptable(e4m3, magnitude, threshold)) {
      chosen = Representation::e4m3;
    } else if (is_acceptable(e5m2, magnitude, threshold)) {
      chosen = Representation::e5m2;
    }
  }
  choice->representation = chosen;
  count(chosen, static_cast<std::uint64_t>(shape.elements()), counts);
}

void quantize_tensor(const Bf16* x, Shape shape, float tensor_amax, const TensorChoice& choice,
                     Bf16* out) {
  nvfp4::require_shape("MoR of a tensor", shape);
  const float mantissa = group_mantissa(tensor_amax);
  for_each_block(shape, [&](const Block& block) {
    write(x, block, choice.representation, tensor_amax, mantissa, out);
  });
}

}  // namespace mansard::kernels::mor::reference
