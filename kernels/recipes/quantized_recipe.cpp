// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/quantized_recipe.h"

#include <algorithm>
#include <stdexcept>

namespace mansard::kernels {

bool multiplies_layer(const Backend& backend, Scaling scaling, const LayerTensors& t) {
  const std::int64_t multiple = reduction_multiple(scaling);
  return backend.multiplies(scaling) && t.tokens % multiple == 0 && t.in_features % multiple == 0 &&
         t.out_features % multiple == 0;
}

TensorSource x_of(const LayerTensors& t) {
  return {"x", {t.tokens, t.in_features}, t.x, Lifetime::activation, t.x_amax};
}
TensorSource w_of(const LayerTensors& t) {
  return {"W", {t.out_features, t.in_features}, t.w, Lifetime::weight};
}
TensorSource dy_of(const LayerTensors& t) {
  return {"dy", {t.tokens, t.out_features}, t.dy, Lifetime::gradient, t.dy_amax};
}

void QuantizedTensor::expand(Direction, Bf16*, PassBuilder&) const {
  throw std::logic_error("the operands of " + source_.name + " are BF16 and cannot be expanded");
}

const float* QuantizedTensor::amax(const float* own) const {
  const float* const provided = source_.amax.as<float>();
  return provided != nullptr ? provided : own;
}

void QuantizedTensor::find_amax(float* own, PassBuilder& out) const {
  if (amax(own) != own) return;
  out.add("amax " + name(), "amax", precision(), shape(), nvfp4::traffic::amax(shape()),
          [&b = out.backend, x = values(), s = shape(), own] { b.amax(x, s, own); });
}

// A source that the operand holds transposed is read as it is, except that a transform needs the
// transpose.
MeasuredOperand QuantizedTensor::measure(Direction direction, const MeasurementScratch& scratch,
                                         numerics::Sums* out, Backend& backend) const {
  PassBuilder operations(backend, nullptr);
  const GemmOperand operand = codes(direction);
  numerics::OperandError error;
  error.source = values();
  error.shape = source_.shape;
  if (is_transformed(direction)) {
    auto* const transformed = scratch.source.as<Bf16>();
    operations.add("RHT(" + source_.name + "^T)", "hadamard", Precision::bf16, source_.shape,
                   nvfp4::traffic::rht(source_.shape),
                   [&backend, x = values(), s = source_.shape, transformed] {
                     backend.rht_transposed(x, s, transformed);
                   });
    error.source = transformed;
    error.shape = source_.shape.transposed();
  } else {
    error.transposed = direction == Direction::columns && operand.is_quantized();
  }
  error.unit = unit();
  error.factor = factor(direction);
  std::optional<Precision> format;
  if (operand.is_quantized()) {
    format = precision();
    error.codes = static_cast<const std::uint8_t*>(operand.data);
    error.format = operand.format;
    error.values = scratch.values.as<Bf16>();
    expand(direction, scratch.values.as<Bf16>(), operations);
  } else {
    error.values = static_cast<const Bf16*>(operand.data);
  }
  return measured_operand(source_.name, format, error, scratch, out, std::move(operations));
}

QuantizedRecipe::QuantizedRecipe(const LayerTensors& tensors, Parts parts, bool native,
                                 Arena& arena)
    : tensors_(tensors), parts_(std::move(parts)), native_(native) {
  if (parts_.combine != nullptr) alpha_ = arena.reserve(sizeof(float), Lifetime::pass);
  if (native_) return;
  const auto bf16_bytes = [](const std::unique_ptr<QuantizedTensor>& t) {
    return nvfp4::bf16_bytes(t->shape());
  };
  a_ = arena.share(Scratch::operand_a, std::max(bf16_bytes(parts_.x), bf16_bytes(parts_.dy)));
  b_ = arena.share(Scratch::operand_b, std::max(bf16_bytes(parts_.x), bf16_bytes(parts_.w)));
}

void QuantizedRecipe::start(Backend& backend) const {
  for (const auto* tensor : {&parts_.x, &parts_.w, &parts_.dy}) (*tensor)->start(backend);
}

std::vector<StateTensor> QuantizedRecipe::state() const {
  std::vector<StateTensor> all;
  for (const auto* tensor : {&parts_.x, &parts_.w, &parts_.dy}) {
    for (StateTensor& state : (*tensor)->state()) all.push_back(std::move(state));
  }
  return all;
}

std::vector<RepresentationCounts> QuantizedRecipe::choices() const {
  std::vector<RepresentationCounts> all;
  for (const auto* tensor : {&parts_.x, &parts_.w, &parts_.dy}) {
    for (RepresentationCounts& counts : (*tensor)->choices()) all.push_back(std::move(counts));
  }
  return all;
}

GemmOperand QuantizedRecipe::operand(const QuantizedTensor& tensor, Direction direction,
                                     const Buffer& expanded, PassBuilder& out) const {
  if (native_) return tensor.codes(direction);
  tensor.expand(direction, expanded.as<Bf16>(), out);
  return {expanded.as<Bf16>()};
}

std::array<QuantizedRecipe::Operand, 2> QuantizedRecipe::operands(Pass pass) const {
  return {{{pass == Pass::fprop ? *parts_.x : *parts_.dy,
            pass == Pass::wgrad ? Direction::columns : Direction::rows},
           {pass == Pass::wgrad ? *parts_.x : *parts_.w,
            pass == Pass::fprop ? Direction::rows : Direction::columns}}};
}

PassPlan QuantizedRecipe::plan(Pass pass, MicroBatch which, PassBuilder out) const {
  const auto& [operand_a, operand_b] = operands(pass);
  const auto& [a, of_a] = operand_a;
  const auto& [b, of_b] = operand_b;
  if (pass != Pass::wgrad) a.quantize(which, out);
  if (pass == Pass::fprop && which == MicroBatch::first) b.quantize(which, out);

  GemmProblem p = product_of(pass, which, tensors_);
  p.a = operand(a, of_a, a_, out);
  p.b = operand(b, of_b, b_, out);
  p.fast_accumulation = native_ && parts_.fast_accumulation && pass == Pass::fprop;
  // Tensor cores take the scale of a whole tensor besides its codes.
  if (parts_.combine != nullptr && p.a.scaling != Scaling::tensor) {
    float* alpha = alpha_.as<float>();
    out.add("alpha", "elementwise", a.precision(), {1, 1}, nvfp4::traffic::gemm_alpha(),
            [&backend = out.backend, combine = parts_.combine, f = a.factor(of_a),
             g = b.factor(of_b), alpha] { (backend.*combine)(f, g, alpha); });
    p.alpha = alpha;
  }
  return std::move(out).finish(p);
}

std::array<MeasuredOperand, 2> QuantizedRecipe::measure(Pass pass,
                                                        const MeasurementScratch& scratch,
                                                        numerics::Sums* sums,
                                                        Backend& backend) const {
  const auto& [a, b] = operands(pass);
  return {a.tensor.measure(a.direction, scratch, sums, backend),
          b.tensor.measure(b.direction, scratch, sums + 1, backend)};
}

}  // namespace mansard::kernels
