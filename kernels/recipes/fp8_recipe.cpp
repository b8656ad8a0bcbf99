// SPDX-License-Identifier: Apache-2.0
// FP8 training of a linear layer with current scaling, as NVIDIA Transformer Engine's default
// ("hybrid") formats have it: x and W in E4M3, dy in E5M2, one scale for each tensor, made of the
// largest magnitude of that very tensor. Arithmetic and formats: arXiv 2209.05433.
//
//   fprop  y = x W^T    casts x and x^T, W and W^T
//   dgrad  dx = dy W    casts dy and dy^T; reads W^T of fprop
//   wgrad  dW = dy^T x  reads dy^T of dgrad and x^T of fprop
//
// Tensor cores want FP8 operands with the reduction axis innermost, hence the transposes, which
// cost no second reading. Where there are no FP8 tensor cores, the codes are decoded to BF16, which
// holds them exactly, and multiplied by a BF16 GEMM that applies both scales.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels/recipes/linear_layer.h"

namespace mansard {
namespace {

using fp8::Format;
using fp8::Shape;
using fp8::TensorScale;

Precision precision_of(Format format) {
  return format == Format::e4m3 ? Precision::fp8_e4m3 : Precision::fp8_e5m2;
}

// Least traffic where kernels/fp8/layout.h states none: codes to BF16, and two factors to one.
std::int64_t decode_traffic(Shape s) { return 3 * s.elements(); }
constexpr std::int64_t kAlphaTraffic = 3 * sizeof(float);

// A tensor in both directions. cuBLASLt refuses a scale that does not lie at a multiple of 16 bytes,
// and says so only when the product is run: the inverse is the third sixteen bytes of the scalars.
struct CastTensor {
  CastTensor(const char* tensor_name, Format tensor_format, Shape tensor_shape, Backend& backend)
      : name(tensor_name),
        format(tensor_format),
        shape(tensor_shape),
        codes(backend.allocate(shape.elements())),
        codes_t(backend.allocate(shape.elements())),
        scalars(backend.allocate(48)) {}
  float* amax() const { return scalars.as<float>(); }
  TensorScale* scale() const {
    constexpr std::size_t kOffset = 32 - offsetof(TensorScale, inverse);
    return reinterpret_cast<TensorScale*>(scalars.as<std::uint8_t>() + kOffset);
  }

  std::string name;
  Format format;
  Shape shape;
  Buffer codes, codes_t, scalars;
};

// One of the two directions, as a GEMM reads it.
struct Operand {
  const CastTensor& tensor;
  bool transposed;
  std::string name() const { return tensor.name + (transposed ? "^T" : ""); }
  Shape shape() const { return transposed ? tensor.shape.transposed() : tensor.shape; }
  const Buffer& codes() const { return transposed ? tensor.codes_t : tensor.codes; }
};

class Planner {
 public:
  Planner(const LayerTensors& tensors, Backend& backend)
      : t_(tensors),
        backend_(backend),
        x_("x", Format::e4m3, {t_.tokens, t_.in_features}, backend),
        w_("W", Format::e4m3, {t_.out_features, t_.in_features}, backend),
        dy_("dy", Format::e5m2, {t_.tokens, t_.out_features}, backend) {
    if (backend.multiplies_fp8()) return;
    // Each pass expands its two operands into the same memory.
    const auto bf16_bytes = [](const CastTensor& t) { return 2 * t.shape.elements(); };
    a_ = backend.allocate(std::max(bf16_bytes(x_), bf16_bytes(dy_)));
    b_ = backend.allocate(std::max(bf16_bytes(x_), bf16_bytes(w_)));
    alpha_ = backend.allocate(sizeof(float));
  }

  // Fast accumulation, where sums stay in the tensor cores, in fprop but not for the gradients:
  // Transformer Engine's defaults (there "split accumulator", the opposite).
  PassPlan fprop() {
    cast(x_, t_.x);
    cast(w_, t_.w);
    return multiply({x_, false}, {w_, false}, t_.y, GemmOutput::bf16, true);
  }
  PassPlan dgrad() {
    cast(dy_, t_.dy);
    return multiply({dy_, false}, {w_, true}, t_.dx, GemmOutput::bf16, false);
  }
  PassPlan wgrad() { return multiply({dy_, true}, {x_, true}, t_.dw, GemmOutput::fp32, false); }

 private:
  void add(const std::string& name, const char* operation_class, Format format, Shape shape,
           std::int64_t bytes, std::function<void()> run) {
    WorkAnnotation work;
    work.name = name;
    work.bytes[backend_.traffic_level()] = static_cast<double>(bytes);
    work.operation_class = operation_class;
    work.shape = std::to_string(shape.rows) + "x" + std::to_string(shape.cols);
    // Of the format made or read; these operations count no FLOP.
    work.precision = precision_of(format);
    operations_.push_back({to_text(work), work, std::move(run)});
  }

  void cast(const CastTensor& q, const Buffer& source) {
    add("amax " + q.name, "amax", q.format, q.shape, nvfp4::traffic::amax(q.shape),
        [&b = backend_, q, source] { b.amax(source.as<Bf16>(), q.shape, q.amax()); });
    add("cast " + q.name + " and " + q.name + "^T", "quantize", q.format, q.shape,
        fp8::traffic::cast_transpose(q.shape), [&b = backend_, q, source] {
          b.fp8_cast_transpose(q.format, source.as<Bf16>(), q.shape, q.amax(), q.scale(),
                               q.codes.as<std::uint8_t>(), q.codes_t.as<std::uint8_t>());
        });
  }

  GemmOperand decode(const Operand& from, const Buffer& to) {
    const Format format = from.tensor.format;
    const Shape shape = from.shape();
    add("decode " + from.name(), "dequantize", format, shape, decode_traffic(shape),
        [&b = backend_, format, shape, codes = from.codes(), to] {
          b.fp8_decode(format, codes.as<std::uint8_t>(), shape, to.as<Bf16>());
        });
    return {to.as<Bf16>(), ReductionAxis::inner};
  }

  static GemmOperand codes_of(const Operand& from) {
    return {from.codes().as<std::uint8_t>(), ReductionAxis::inner, precision_of(from.tensor.format),
            &from.tensor.scale()->inverse};
  }

  // The GEMM, and before it what the backend needs for it. The operations own the tensors.
  PassPlan multiply(const Operand& a, const Operand& b, const Buffer& result, GemmOutput output,
                    bool fast_accumulation) {
    GemmProblem p;
    p.m = a.shape().rows;
    p.n = b.shape().rows;
    p.k = a.shape().cols;
    p.c = result.as<void>();
    p.output = output;
    if (backend_.multiplies_fp8()) {
      p.a = codes_of(a);
      p.b = codes_of(b);
      p.fast_accumulation = fast_accumulation;
    } else {
      p.a = decode(a, a_);
      p.b = decode(b, b_);
      p.alpha = alpha_.as<float>();
      add("alpha", "elementwise", a.tensor.format, {1, 1}, kAlphaTraffic,
          [&backend = backend_, a = a.tensor, b = b.tensor, alpha = alpha_] {
            backend.fp8_gemm_alpha(a.scale(), b.scale(), alpha.as<float>());
          });
    }
    Operation gemm = gemm_operation("gemm", p, backend_);
    gemm.run = [t = t_, a = a.tensor, b = b.tensor, decoded_a = a_, decoded_b = b_, alpha = alpha_,
                run = std::move(gemm.run)] { run(); };
    operations_.push_back(std::move(gemm));
    return {std::exchange(operations_, {}), p};
  }

  LayerTensors t_;
  Backend& backend_;
  CastTensor x_, w_, dy_;
  Buffer a_, b_, alpha_;  // empty where the codes themselves are multiplied
  std::vector<Operation> operations_;
};

}  // namespace

std::array<PassPlan, 3> plan_fp8(const LayerTensors& tensors, Backend& backend) {
  Planner planner(tensors, backend);
  return {planner.fprop(), planner.dgrad(), planner.wgrad()};
}

}  // namespace mansard
