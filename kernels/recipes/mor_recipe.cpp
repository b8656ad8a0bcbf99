// SPDX-License-Identifier: Apache-2.0
// Mixture of representations: each tensor (mor_tensor) or block of 128x128 elements (mor_block) of
// x, W and dy takes E4M3, E5M2 or BF16, whichever is the first with an acceptable error.
// Definition: kernels/mor/representation.h.
//
// The values are stored in BF16 in the layout of the tensor, and the two GEMMs that use it read
// them along its rows or columns, as in BF16 training. No tensor core reads this mixture, so a
// layer is slower than in BF16: this recipe shows what a choice of formats does to training, not
// its speed.
#include <cstddef>
#include <stdexcept>

#include "kernels/recipes/quantized_recipe.h"

namespace mansard::kernels {
namespace {

class MorTensor : public QuantizedTensor {
 public:
  MorTensor(const TensorSource& source, float threshold, Arena& arena)
      : QuantizedTensor(source, source.name + "^T", Precision::bf16),
        threshold_(threshold),
        quantized_(arena.reserve(nvfp4::bf16_bytes(source.shape), source.lifetime)),
        scalars_(arena.reserve(sizeof(Scalars), Lifetime::state)) {}

  void start(Backend& backend) const override {
    const Scalars zero = {};
    backend.write(scalars(), &zero, sizeof zero);
  }

  bool reads_amax() const override { return true; }

  void quantize(MicroBatch, PassBuilder& out) const override {
    find_amax(&scalars()->amax, out);
    choose_and_quantize(amax(&scalars()->amax), out);
  }

  GemmOperand codes(Direction direction) const override {
    return {quantized(),
            direction == Direction::rows ? ReductionAxis::inner : ReductionAxis::outer};
  }

  std::vector<RepresentationCounts> choices() const override {
    return {{name(), scalars_.after(offsetof(Scalars, counts))}};
  }

 protected:
  struct Scalars {
    alignas(16) float amax;
    alignas(16) mor::TensorChoice choice;
    alignas(16) mor::Counts counts;
  };
  virtual void choose_and_quantize(const float* amax, PassBuilder& out) const = 0;

  float threshold() const { return threshold_; }
  Scalars* scalars() const { return scalars_.as<Scalars>(); }
  Bf16* quantized() const { return quantized_.as<Bf16>(); }

 private:
  float threshold_;
  Buffer quantized_, scalars_;
};

// One representation for the whole tensor, which is read once more to find it.
class MorWholeTensor : public MorTensor {
 public:
  using MorTensor::MorTensor;

 protected:
  void choose_and_quantize(const float* amax, PassBuilder& out) const override {
    Backend& b = out.backend;
    Scalars* const scalars = this->scalars();
    const Bf16* x = values();
    const Shape s = shape();
    out.add("choose the format of " + name(), "quantize", precision(), s, mor::traffic::choose(s),
            [&b, x, s, amax, scalars, threshold = threshold()] {
              b.mor_choose(x, s, amax, threshold, &scalars->counts, &scalars->choice);
            });
    out.add("quantize " + name(), "quantize", precision(), s, mor::traffic::quantize_tensor(s),
            [&b, x, s, amax, scalars, to = quantized()] {
              b.mor_quantize_tensor(x, s, amax, &scalars->choice, to);
            });
  }
};

class MorBlocks : public MorTensor {
 public:
  using MorTensor::MorTensor;

 protected:
  void choose_and_quantize(const float* amax, PassBuilder& out) const override {
    const Shape s = shape();
    out.add(
        "choose formats and quantize " + name(), "quantize", precision(), s,
        mor::traffic::quantize_blocks(s),
        [&b = out.backend, x = values(), s, amax, scalars = scalars(), threshold = threshold(),
         to = quantized()] { b.mor_quantize_blocks(x, s, amax, threshold, &scalars->counts, to); });
  }
};

template <typename Tensor>
std::unique_ptr<LayerRecipe> make_recipe(const LayerTensors& t, Arena& arena,
                                         const RecipeOptions& options) {
  if (!(options.mor_threshold >= 0)) {  // or NaN
    throw std::invalid_argument("the error threshold of MoR must be at least 0, not " +
                                std::to_string(options.mor_threshold));
  }
  QuantizedRecipe::Parts parts;
  parts.x = std::make_unique<Tensor>(x_of(t), options.mor_threshold, arena);
  parts.w = std::make_unique<Tensor>(w_of(t), options.mor_threshold, arena);
  parts.dy = std::make_unique<Tensor>(dy_of(t), options.mor_threshold, arena);
  constexpr bool kNative = true;  // every backend multiplies BF16
  return std::make_unique<QuantizedRecipe>(t, std::move(parts), kNative, arena);
}

}  // namespace

std::unique_ptr<LayerRecipe> make_mor_tensor_recipe(const LayerTensors& tensors, Arena& arena,
                                                    const RecipeOptions& options) {
  return make_recipe<MorWholeTensor>(tensors, arena, options);
}

std::unique_ptr<LayerRecipe> make_mor_block_recipe(const LayerTensors& tensors, Arena& arena,
                                                   const RecipeOptions& options) {
  return make_recipe<MorBlocks>(tensors, arena, options);
}

}  // namespace mansard::kernels
