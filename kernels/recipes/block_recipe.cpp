// SPDX-License-Identifier: Apache-2.0
// FP8 training with one scale per block and E4M3 for all tensors: the block scales give gradients
// the range that E5M2 would. Each tensor is quantized in both directions with one reading and
// without a preceding amax of the whole tensor.
//
//   fp8_block  x and dy by 1x128, W by 128x128, with FP32 scales that are powers of two, as in the
//              default of NVIDIA Transformer Engine's Float8BlockScaling
//   mxfp8      x, dy and W by 1x32, with E8M0 scales (OCP Microscaling Formats v1.0)
//
// Such scales are exact in BF16, so that expanded operands are exact.
#include "kernels/recipes/quantized_recipe.h"

namespace mansard::kernels {
namespace {

class BlockTensor : public QuantizedTensor {
 public:
  BlockTensor(const TensorSource& source, const BlockScheme& scheme, Arena& arena)
      : QuantizedTensor(
            source, source.name + "^T",
            scheme.scaling == Scaling::mx_1x32 ? Precision::mxfp8 : Precision::fp8_e4m3),
        scheme_(scheme),
        rows_(source.shape, scheme, source.lifetime, arena),
        columns_(source.shape.transposed(), scheme, source.lifetime, arena) {}

  void quantize(MicroBatch, PassBuilder& out) const override {
    const std::int64_t bytes = nvfp4::bf16_bytes(shape()) + code_and_scale_bytes(Direction::rows) +
                               code_and_scale_bytes(Direction::columns);
    out.add("quantize " + both_names(), "quantize", precision(), shape(), bytes,
            [&b = out.backend, scheme = scheme_, x = values(), s = shape(),
             rows = codes_in(Direction::rows), columns = codes_in(Direction::columns)] {
              b.quantize_blocks(scheme, x, s, rows, columns);
            });
  }

  GemmOperand codes(Direction direction) const override {
    const BlockCodes c = codes_in(direction);
    return {c.codes, ReductionAxis::inner, Precision::fp8_e4m3, scheme_.scaling, c.scales};
  }

  void expand(Direction direction, Bf16* to, PassBuilder& out) const override {
    const Shape s = shape(direction);
    out.add("dequantize " + name(direction), "dequantize", precision(), s,
            code_and_scale_bytes(direction) + nvfp4::bf16_bytes(s),
            [&b = out.backend, scheme = scheme_, in = codes_in(direction), s, to] {
              b.dequantize_blocks(scheme, in, s, to);
            });
  }

 private:
  struct Quantized {
    Quantized(Shape shape, const BlockScheme& scheme, Lifetime lifetime, Arena& arena)
        : codes(arena.reserve(shape.elements(), lifetime)),
          scales(arena.reserve(scale_bytes(scheme.scaling, shape, scheme.layout), lifetime)) {}
    Buffer codes, scales;
  };

  BlockCodes codes_in(Direction direction) const {
    const Quantized& q = direction == Direction::rows ? rows_ : columns_;
    return {q.codes.as<std::uint8_t>(), q.scales.as<void>()};
  }
  std::int64_t code_and_scale_bytes(Direction direction) const {
    const Shape s = shape(direction);
    return s.elements() + scale_bytes(scheme_.scaling, s, scheme_.layout);
  }

  BlockScheme scheme_;
  Quantized rows_, columns_;
};

std::unique_ptr<LayerRecipe> make_recipe(const LayerTensors& t, const BlockScheme& activations,
                                         const BlockScheme& weights, bool native, Arena& arena) {
  QuantizedRecipe::Parts parts;
  parts.x = std::make_unique<BlockTensor>(x_of(t), activations, arena);
  parts.w = std::make_unique<BlockTensor>(w_of(t), weights, arena);
  parts.dy = std::make_unique<BlockTensor>(dy_of(t), activations, arena);
  return std::make_unique<QuantizedRecipe>(t, std::move(parts), native, arena);
}

}  // namespace

std::unique_ptr<LayerRecipe> make_fp8_block_recipe(const LayerTensors& t, Backend& backend,
                                                   Arena& arena) {
  const bool native = multiplies_layer(backend, Scaling::block_1x128, t) &&
                      multiplies_layer(backend, Scaling::block_128x128, t);
  return make_recipe(t, {Scaling::block_1x128}, {Scaling::block_128x128}, native, arena);
}

std::unique_ptr<LayerRecipe> make_mxfp8_recipe(const LayerTensors& t, Backend& backend,
                                               Arena& arena) {
  const bool native = multiplies_layer(backend, Scaling::mx_1x32, t);
  const BlockScheme scheme = {Scaling::mx_1x32, native ? ScaleLayout::tiled : ScaleLayout::linear};
  return make_recipe(t, scheme, scheme, native, arena);
}

}  // namespace mansard::kernels
