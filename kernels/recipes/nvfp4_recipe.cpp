// SPDX-License-Identifier: Apache-2.0
// NVFP4 training of a linear layer (arXiv 2509.25149) with exact operands: every operand is
// quantised as the recipe says, expanded again to BF16 without error, and multiplied by a BF16 GEMM
// that applies the two tensors' scales. Gradients round stochastically, all else to nearest.
//
//   fprop  x by 1x16 along in_features, W by 16x16 tiles
//   dgrad  dy by 1x16 along out_features, W^T with the tiles of fprop
//   wgrad  x^T and dy^T by 1x16 along the tokens, after the Hadamard transform
//
// fprop and dgrad read their activation or gradient once for amax and once to quantise it for wgrad
// too; the weight is quantised once a step, in fprop.
#include <algorithm>

#include "kernels/recipes/linear_layer.h"

namespace mansard {
namespace {

using nvfp4::Matrix;
using nvfp4::Shape;

struct Quantized {
  Quantized(Shape shape, Backend& backend)
      : codes(backend.allocate(nvfp4::code_bytes(shape))),
        scales(backend.allocate(nvfp4::scale_bytes(shape))) {}
  Matrix matrix() const { return {codes.as<std::uint8_t>(), scales.as<std::uint8_t>()}; }
  Buffer codes, scales;
};

// Where the amax values and GEMM factors of a layer lie in one small buffer, 16 bytes apart.
enum Scalar { amax_x, amax_x_rht, amax_dy, amax_dy_rht, amax_w, alpha, scalar_count };

class Planner {
 public:
  Planner(const LayerTensors& tensors, Backend& backend)
      : t_(tensors),
        backend_(backend),
        x_{t_.tokens, t_.in_features},
        w_{t_.out_features, t_.in_features},
        dy_{t_.tokens, t_.out_features},
        xq_(x_, backend),
        xtq_(x_.transposed(), backend),
        wq_(w_, backend),
        wtq_(w_.transposed(), backend),
        dyq_(dy_, backend),
        dytq_(dy_.transposed(), backend),
        scalars_(backend.allocate(16 * scalar_count)),
        random_(backend.allocate(sizeof(nvfp4::RandomState))),
        // Each pass expands its two operands into the same memory.
        a_(backend.allocate(2 * std::max(x_.elements(), dy_.elements()))),
        b_(backend.allocate(2 * std::max(x_.elements(), w_.elements()))) {
    const nvfp4::RandomState first = {t_.seed, 0};
    backend.write(random_.as<void>(), &first, sizeof first);
  }

  PassPlan fprop() {
    begin();
    amax_both("amax x", t_.x, x_, amax_x, amax_x_rht);
    quantize_both("quantize x and RHT(x^T)", t_.x, x_, amax_x, xq_, xtq_, Rounding::nearest);
    add("amax W", "amax", w_, nvfp4::traffic::amax(w_),
        [&b = backend_, w = t_.w, s = w_, out = scalar(amax_w)] { b.amax(w.as<Bf16>(), s, out); });
    add("quantize W and W^T", "quantize", w_, nvfp4::traffic::quantize_both(w_),
        [&b = backend_, w = t_.w, s = w_, amax = scalar(amax_w), q = wq_, qt = wtq_] {
          b.quantize_16x16(w.as<Bf16>(), s, amax, q.matrix(), qt.matrix());
        });
    dequantize("dequantize x", xq_, x_, a_);
    dequantize("dequantize W", wq_, w_, b_);
    return finish({t_.tokens, t_.out_features, t_.in_features, operand(a_), operand(b_),
                   t_.y.as<Bf16>(), GemmOutput::bf16, scalar(alpha)},
                  amax_x, amax_w);
  }

  PassPlan dgrad() {
    begin();
    amax_both("amax dy", t_.dy, dy_, amax_dy, amax_dy_rht);
    add("next random numbers", "elementwise", {1, 1}, nvfp4::traffic::next_random(),
        [&b = backend_, random = random_] { b.next_random(random.as<nvfp4::RandomState>()); });
    quantize_both("quantize dy and RHT(dy^T)", t_.dy, dy_, amax_dy, dyq_, dytq_,
                  Rounding::stochastic);
    dequantize("dequantize dy", dyq_, dy_, a_);
    dequantize("dequantize W^T", wtq_, w_.transposed(), b_);
    return finish({t_.tokens, t_.in_features, t_.out_features, operand(a_), operand(b_),
                   t_.dx.as<Bf16>(), GemmOutput::bf16, scalar(alpha)},
                  amax_dy, amax_w);
  }

  PassPlan wgrad() {
    begin();
    dequantize("dequantize RHT(dy^T)", dytq_, dy_.transposed(), a_);
    dequantize("dequantize RHT(x^T)", xtq_, x_.transposed(), b_);
    return finish({t_.out_features, t_.in_features, t_.tokens, operand(a_), operand(b_),
                   t_.dw.as<float>(), GemmOutput::fp32, scalar(alpha)},
                  amax_dy_rht, amax_x_rht);
  }

 private:
  float* scalar(Scalar which) const { return scalars_.as<float>() + 4 * which; }
  static GemmOperand operand(const Buffer& buffer) {
    return {buffer.as<Bf16>(), ReductionAxis::inner};
  }

  void begin() { operations_.clear(); }

  void add(const char* name, const char* operation_class, Shape shape, std::int64_t bytes,
           std::function<void()> run) {
    WorkAnnotation work;
    work.name = name;
    work.bytes[backend_.traffic_level()] = static_cast<double>(bytes);
    work.operation_class = operation_class;
    work.shape = std::to_string(shape.rows) + "x" + std::to_string(shape.cols);
    // Of the format made or read; these operations count no FLOP.
    work.precision = Precision::nvfp4;
    operations_.push_back({to_text(work), work, std::move(run)});
  }

  void amax_both(const char* name, const Buffer& x, Shape shape, Scalar out, Scalar out_rht) {
    add(name, "amax", shape, nvfp4::traffic::amax_rht(shape),
        [&b = backend_, x, shape, out = scalar(out), out_rht = scalar(out_rht)] {
          b.amax_rht(x.as<Bf16>(), shape, out, out_rht);
        });
  }

  enum class Rounding { nearest, stochastic };

  // The maximum of the transformed transpose lies behind that of x.
  void quantize_both(const char* name, const Buffer& x, Shape shape, Scalar amax,
                     const Quantized& out, const Quantized& out_rht, Rounding rounding) {
    add(name, "quantize", shape, nvfp4::traffic::quantize_both(shape),
        [&b = backend_, x, shape, amax = scalar(amax), amax_rht = scalar(Scalar(amax + 1)), out,
         out_rht, rounding, random = random_] {
          b.quantize_both(
              x.as<Bf16>(), shape, amax, amax_rht, out.matrix(), out_rht.matrix(),
              rounding == Rounding::stochastic ? random.as<nvfp4::RandomState>() : nullptr);
        });
  }

  void dequantize(const char* name, const Quantized& in, Shape shape, const Buffer& out) {
    add(name, "dequantize", shape, nvfp4::traffic::dequantize(shape),
        [&b = backend_, in, shape, out] { b.dequantize(in.matrix(), shape, out.as<Bf16>()); });
  }

  // The GEMM and the factor it applies. The operations own the tensors from here on.
  PassPlan finish(const GemmProblem& problem, Scalar amax_a, Scalar amax_b) {
    add("alpha", "elementwise", {1, 1}, nvfp4::traffic::gemm_alpha(),
        [&b = backend_, scalars = scalars_, a = scalar(amax_a), c = scalar(amax_b),
         out = scalar(alpha)] { b.gemm_alpha(a, c, out); });
    Operation gemm = gemm_operation("gemm", problem, backend_);
    gemm.run = [t = t_, a = a_, b = b_, scalars = scalars_, run = std::move(gemm.run)] { run(); };
    operations_.push_back(std::move(gemm));
    return {std::move(operations_), problem};
  }

  LayerTensors t_;
  Backend& backend_;
  Shape x_, w_, dy_;
  Quantized xq_, xtq_, wq_, wtq_, dyq_, dytq_;
  Buffer scalars_, random_, a_, b_;
  std::vector<Operation> operations_;
};

}  // namespace

std::array<PassPlan, 3> plan_nvfp4(const LayerTensors& tensors, Backend& backend) {
  Planner planner(tensors, backend);
  return {planner.fprop(), planner.dgrad(), planner.wgrad()};
}

}  // namespace mansard
