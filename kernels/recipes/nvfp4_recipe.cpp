// SPDX-License-Identifier: Apache-2.0
// NVFP4 training of a linear layer (arXiv 2509.25149). Gradients are rounded stochastically, all
// other tensors to nearest.
//
//   fprop  x by 1x16 along in_features, W by 16x16 tiles
//   dgrad  dy by 1x16 along out_features, W^T with the tiles of fprop
//   wgrad  x^T and dy^T by 1x16 along the tokens, after the Hadamard transform
//
// x and dy are read twice: once for amax and once to be quantized in both directions. (Without the
// Hadamard transform, the kernel that wrote the tensor may provide its amax.) Each GEMM
// applies the scales of the two tensors as its alpha. RecipeOptions can omit the parts that are
// specific to this method: the Hadamard transform, stochastic rounding, the 16x16 tiles.
#include <cstddef>

#include "kernels/recipes/quantized_recipe.h"

namespace mansard::kernels {
namespace {

using nvfp4::Matrix;
using nvfp4::RandomState;
using nvfp4::Transform;

// Device pointers to single values are also aligned to 16 bytes.
struct Nvfp4Scalars {
  alignas(16) float amax;
  alignas(16) float amax_rht;
  alignas(16) RandomState random;
};

class Nvfp4Tensor : public QuantizedTensor {
 public:
  Nvfp4Tensor(const TensorSource& source, const std::string& columns_name, ScaleLayout layout,
              Arena& arena)
      : QuantizedTensor(source, columns_name, Precision::nvfp4),
        layout_(layout),
        rows_(source.shape, layout, source.lifetime, arena),
        columns_(source.shape.transposed(), layout, source.lifetime, arena),
        scalars_(arena.reserve(sizeof(Nvfp4Scalars), source.lifetime)) {}

  GemmOperand codes(Direction direction) const override {
    const Matrix m = matrix(direction);
    return {m.codes, ReductionAxis::inner, Precision::nvfp4, Scaling::nv_1x16, m.scales};
  }

  void expand(Direction direction, Bf16* to, PassBuilder& out) const override {
    const Shape s = shape(direction);
    out.add("dequantize " + name(direction), "dequantize", precision(), s,
            nvfp4::traffic::dequantize(s),
            [&b = out.backend, in = matrix(direction), s, layout = layout_, to] {
              b.nvfp4_dequantize(in, s, layout, to);
            });
  }

  // The amax is the largest code times the largest scale of a block.
  double unit() const override { return 1 / (6.0 * 448.0); }

 protected:
  ScaleLayout layout() const { return layout_; }
  Nvfp4Scalars* scalars() const { return scalars_.as<Nvfp4Scalars>(); }
  Buffer random_buffer() const { return scalars_.after(offsetof(Nvfp4Scalars, random)); }
  Matrix matrix(Direction direction) const {
    return (direction == Direction::rows ? rows_ : columns_).matrix();
  }
  // One reading of the tensor and of `amax_values` scalars; scales in any layout.
  std::int64_t quantize_traffic(int amax_values) const {
    std::int64_t bytes = nvfp4::bf16_bytes(shape()) + amax_values * std::int64_t{sizeof(float)};
    for (const Direction direction : {Direction::rows, Direction::columns}) {
      const Shape s = shape(direction);
      bytes += nvfp4::code_bytes(s) + nvfp4::scale_bytes(s, layout_);
    }
    return bytes;
  }

 private:
  struct Quantized {
    Quantized(Shape shape, ScaleLayout layout, Lifetime lifetime, Arena& arena)
        : codes(arena.reserve(nvfp4::code_bytes(shape), lifetime)),
          scales(arena.reserve(nvfp4::scale_bytes(shape, layout), lifetime)) {}
    Matrix matrix() const { return {codes.as<std::uint8_t>(), scales.as<std::uint8_t>()}; }
    Buffer codes, scales;
  };

  ScaleLayout layout_;
  Quantized rows_, columns_;
  Buffer scalars_;
};

// Blocks of 1x16 in both directions, each along its own rows.
class Tensor1x16 : public Nvfp4Tensor {
 public:
  // `transform`: of the transpose, before it is quantized.
  Tensor1x16(const TensorSource& source, Transform transform, ScaleLayout layout, Arena& arena)
      : Nvfp4Tensor(source,
                    transform == Transform::rht ? "RHT(" + source.name + "^T)" : source.name + "^T",
                    layout, arena),
        transform_(transform) {}

  bool reads_amax() const override { return transform_ == Transform::none; }

  void quantize(MicroBatch, PassBuilder& out) const override {
    find_maxima(out);
    const RandomState* random = draw(out);
    out.add("quantize " + both_names(), "quantize", precision(), shape(),
            quantize_traffic(transform_ == Transform::rht ? 2 : 1),
            [&b = out.backend, x = values(), s = shape(), layout = layout(),
             amax = factor(Direction::rows), amax_t = factor(Direction::columns),
             transform = transform_, rows = matrix(Direction::rows),
             columns = matrix(Direction::columns), random] {
              b.nvfp4_quantize_both(x, s, layout, amax, amax_t, transform, rows, columns, random);
            });
  }

  // Untransformed, both directions have the same amax.
  const float* factor(Direction direction) const override {
    if (transform_ == Transform::none) return amax(&scalars()->amax);
    return is_transformed(direction) ? &scalars()->amax_rht : &scalars()->amax;
  }
  bool is_transformed(Direction direction) const override {
    return direction == Direction::columns && transform_ == Transform::rht;
  }

 protected:
  // Random numbers for rounding; nullptr: round to nearest.
  virtual const RandomState* draw(PassBuilder&) const { return nullptr; }

 private:
  // One reading finds both maxima, so that a provided one would save nothing.
  void find_maxima(PassBuilder& out) const {
    Nvfp4Scalars* const scalars = this->scalars();
    if (transform_ == Transform::none) return find_amax(&scalars->amax, out);
    const Shape s = shape();
    out.add("amax " + name(), "amax", precision(), s, nvfp4::traffic::amax_rht(s),
            [&b = out.backend, x = values(), s, scalars] {
              b.amax_rht(x, s, &scalars->amax, &scalars->amax_rht);
            });
  }

  Transform transform_;
};

// Rounded stochastically, with new random numbers each time.
class StochasticTensor1x16 : public Tensor1x16 {
 public:
  StochasticTensor1x16(const TensorSource& source, Transform transform, ScaleLayout layout,
                       std::uint64_t seed, Arena& arena)
      : Tensor1x16(source, transform, layout, arena), seed_(seed) {}

  void start(Backend& backend) const override {
    const RandomState first = {seed_, 0};
    backend.write(&scalars()->random, &first, sizeof first);
  }

  std::vector<StateTensor> state() const override {
    return {{name() + ".random", random_buffer(), sizeof(RandomState)}};
  }

 protected:
  const RandomState* draw(PassBuilder& out) const override {
    RandomState* random = &scalars()->random;
    out.add("next random numbers", "elementwise", precision(), {1, 1},
            nvfp4::traffic::next_random(), [&b = out.backend, random] { b.next_random(random); });
    return random;
  }

 private:
  std::uint64_t seed_;
};

// Blocks of 16x16, shared by both directions.
class Tensor16x16 : public Nvfp4Tensor {
 public:
  Tensor16x16(const TensorSource& source, ScaleLayout layout, Arena& arena)
      : Nvfp4Tensor(source, source.name + "^T", layout, arena) {}

  void quantize(MicroBatch, PassBuilder& out) const override {
    find_amax(&scalars()->amax, out);
    out.add(
        "quantize " + both_names(), "quantize", precision(), shape(), quantize_traffic(1),
        [&b = out.backend, w = values(), s = shape(), amax = factor(Direction::rows),
         layout = layout(), rows = matrix(Direction::rows), columns = matrix(Direction::columns)] {
          b.nvfp4_quantize_16x16(w, s, layout, amax, rows, columns);
        });
  }

  const float* factor(Direction) const override { return amax(&scalars()->amax); }
};

}  // namespace

std::unique_ptr<LayerRecipe> make_nvfp4_recipe(const LayerTensors& t, Backend& backend,
                                               Arena& arena, const RecipeOptions& options) {
  const Transform of_wgrad = options.hadamard ? Transform::rht : Transform::none;
  const bool native = multiplies_layer(backend, Scaling::nv_1x16, t);
  const ScaleLayout layout = native ? ScaleLayout::tiled : ScaleLayout::linear;
  QuantizedRecipe::Parts parts;
  parts.x = std::make_unique<Tensor1x16>(x_of(t), of_wgrad, layout, arena);
  if (options.weights_2d) {
    parts.w = std::make_unique<Tensor16x16>(w_of(t), layout, arena);
  } else {
    parts.w = std::make_unique<Tensor1x16>(w_of(t), Transform::none, layout, arena);
  }
  if (options.stochastic_rounding) {
    parts.dy = std::make_unique<StochasticTensor1x16>(dy_of(t), of_wgrad, layout, t.seed, arena);
  } else {
    parts.dy = std::make_unique<Tensor1x16>(dy_of(t), of_wgrad, layout, arena);
  }
  parts.combine = &Conversions::nvfp4_gemm_alpha;
  return std::make_unique<QuantizedRecipe>(t, std::move(parts), native, arena);
}

}  // namespace mansard::kernels
