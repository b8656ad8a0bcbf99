// SPDX-License-Identifier: Apache-2.0
// What the recipes of quantized tensors have in common. x, W and dy are quantized in the pass that
// reads them first, in both directions, and multiplied in two passes each:
//
//   fprop  y = x W^T    quantizes x and, in a step's first micro-batch, W
//   dgrad  dx = dy W    quantizes dy
//   wgrad  dW = dy^T x  quantizes nothing
//
// A GEMM reads the codes where the backend multiplies them. Elsewhere they are expanded to BF16,
// which holds every value of theirs exactly, for a BF16 GEMM.
#pragma once

#include <memory>
#include <string>

#include "kernels/recipes/layer_recipe.h"

namespace mansard::kernels {

enum class Direction { rows, columns };  // the tensor, or its transpose

// What there is to quantize.
struct TensorSource {
  std::string name;
  Shape shape;
  Buffer values;
};
TensorSource x_of(const LayerTensors& tensors);
TensorSource w_of(const LayerTensors& tensors);
TensorSource dy_of(const LayerTensors& tensors);

// A tensor and how its recipe quantizes it.
class QuantizedTensor {
 public:
  // `columns_name`: of the transpose, or what becomes of it.
  QuantizedTensor(TensorSource source, std::string columns_name, Precision precision)
      : source_(std::move(source)), columns_name_(std::move(columns_name)), precision_(precision) {}
  virtual ~QuantizedTensor() = default;

  virtual void start(Backend&) const {}
  virtual void quantize(MicroBatch which, PassBuilder& out) const = 0;
  virtual GemmOperand codes(Direction direction) const = 0;
  virtual void expand(Direction direction, Bf16* to, PassBuilder& out) const = 0;
  // What a GEMM of this tensor's codes must take into account beside their own scales.
  virtual const float* factor(Direction) const { return nullptr; }

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

 private:
  TensorSource source_;
  std::string columns_name_;
  Precision precision_;
};

class QuantizedRecipe : public LayerRecipe {
 public:
  // alpha of two tensors' factors.
  using CombineFactors = void (Conversions::*)(const float*, const float*, float*);

  struct Parts {
    std::unique_ptr<QuantizedTensor> x, w, dy;
    CombineFactors combine = nullptr;  // where the tensors have factors
    // Of a GEMM of codes, in fprop alone: Transformer Engine's default for FP8 (there "split
    // accumulator", the opposite).
    bool fast_accumulation = false;
  };

  // `native`: the backend multiplies the codes.
  QuantizedRecipe(const LayerTensors& tensors, Parts parts, bool native, Arena& arena);

  void start(Backend& backend) const override;
  PassPlan plan(Pass pass, MicroBatch which, PassBuilder out) const override;

 private:
  GemmOperand operand(const QuantizedTensor& tensor, Direction direction, const Buffer& expanded,
                      PassBuilder& out) const;

  LayerTensors tensors_;
  Parts parts_;
  bool native_;
  Buffer a_, b_, alpha_;
};

// Whether the backend multiplies a layer's tensors scaled so: each of its sizes is some pass's
// reduction axis.
bool multiplies_layer(const Backend& backend, Scaling scaling, const LayerTensors& tensors);

}  // namespace mansard::kernels
