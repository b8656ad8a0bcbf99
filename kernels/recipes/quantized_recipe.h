// SPDX-License-Identifier: Apache-2.0
// Common base of the recipes with quantized tensors. x, W and dy are quantized in both directions
// in the pass that first reads them, and each is used by two GEMMs:
//
//   fprop  y = x W^T    quantizes x and, in the first micro-batch of a step, W
//   dgrad  dx = dy W    quantizes dy
//   wgrad  dW = dy^T x  quantizes nothing
//
// If the backend multiplies the codes natively, the GEMM reads them. Otherwise they are expanded to
// BF16, which represents all their values exactly, for a BF16 GEMM.
#pragma once

#include <memory>
#include <string>

#include "kernels/recipes/layer_recipe.h"

namespace mansard::kernels {

enum class Direction { rows, columns };  // the tensor, or its transpose

// A tensor to be quantized.
struct TensorSource {
  std::string name;
  Shape shape;
  Buffer values;
  Lifetime lifetime;  // of the quantized tensor
  Buffer amax = {};   // unset: the recipe finds it
};
TensorSource x_of(const LayerTensors& tensors);
TensorSource w_of(const LayerTensors& tensors);
TensorSource dy_of(const LayerTensors& tensors);

// A tensor and the way its recipe quantizes it.
class QuantizedTensor {
 public:
  // `columns_name`: name of the transpose or of what is computed from it.
  QuantizedTensor(TensorSource source, std::string columns_name, Precision precision)
      : source_(std::move(source)), columns_name_(std::move(columns_name)), precision_(precision) {}
  virtual ~QuantizedTensor() = default;

  virtual void start(Backend&) const {}
  virtual std::vector<StateTensor> state() const { return {}; }
  virtual std::vector<RepresentationCounts> choices() const { return {}; }
  // Whether quantize() reads TensorSource::amax if it is set.
  virtual bool reads_amax() const { return false; }
  virtual void quantize(MicroBatch which, PassBuilder& out) const = 0;
  virtual GemmOperand codes(Direction direction) const = 0;
  // Required of tensors whose codes some backend does not multiply.
  virtual void expand(Direction direction, Bf16* to, PassBuilder& out) const;
  // A factor that a GEMM of this tensor's codes must apply in addition to their scales.
  virtual const float* factor(Direction) const { return nullptr; }
  // The value of (code * scale of its block) is that times *factor() times this.
  virtual double unit() const { return 1; }
  // Whether this direction is quantized after the random Hadamard transform.
  virtual bool is_transformed(Direction) const { return false; }

  MeasuredOperand measure(Direction direction, const MeasurementScratch& scratch,
                          numerics::Sums* out, Backend& backend) const;

  Precision precision() const { return precision_; }
  Shape shape(Direction direction = Direction::rows) const {
    return direction == Direction::rows ? source_.shape : source_.shape.transposed();
  }

 protected:
  const std::string& name(Direction direction = Direction::rows) const {
    return direction == Direction::rows ? source_.name : columns_name_;
  }
  std::string both_names() const { return source_.name + " and " + columns_name_; }
  const Bf16* values() const { return source_.values.as<Bf16>(); }

  // The scalar that holds the tensor's amax: its source's, or else `own`.
  const float* amax(const float* own) const;
  // Adds the operation that writes the amax to `own`, unless the source provides it.
  void find_amax(float* own, PassBuilder& out) const;

 private:
  TensorSource source_;
  std::string columns_name_;
  Precision precision_;
};

class QuantizedRecipe : public LayerRecipe {
 public:
  // Computes alpha from the factors of two tensors.
  using CombineFactors = void (Conversions::*)(const float*, const float*, float*);

  struct Parts {
    std::unique_ptr<QuantizedTensor> x, w, dy;
    CombineFactors combine = nullptr;  // set if the tensors have factors
    // For GEMMs of codes, in fprop only: the default of Transformer Engine for FP8 (which names its
    // opposite, "split accumulator").
    bool fast_accumulation = false;
  };

  // `native`: the backend multiplies codes.
  QuantizedRecipe(const LayerTensors& tensors, Parts parts, bool native, Arena& arena);

  void start(Backend& backend) const override;
  std::vector<StateTensor> state() const override;
  std::vector<RepresentationCounts> choices() const override;
  bool reads_amax() const override { return parts_.x->reads_amax() || parts_.dy->reads_amax(); }
  PassPlan plan(Pass pass, MicroBatch which, PassBuilder out) const override;
  std::array<MeasuredOperand, 2> measure(Pass pass, const MeasurementScratch& scratch,
                                         numerics::Sums* sums, Backend& backend) const override;

 private:
  // The operands A and B of a pass's GEMM.
  struct Operand {
    const QuantizedTensor& tensor;
    Direction direction;
  };
  std::array<Operand, 2> operands(Pass pass) const;
  GemmOperand operand(const QuantizedTensor& tensor, Direction direction, const Buffer& expanded,
                      PassBuilder& out) const;

  LayerTensors tensors_;
  Parts parts_;
  bool native_;
  Buffer a_, b_, alpha_;
};

// Whether the backend multiplies a layer's tensors with this scaling. Each of the layer's sizes is
// the reduction axis of some pass.
bool multiplies_layer(const Backend& backend, Scaling scaling, const LayerTensors& tensors);

}  // namespace mansard::kernels
