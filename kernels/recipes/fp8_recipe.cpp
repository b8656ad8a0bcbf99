// SPDX-License-Identifier: Apache-2.0
// FP8 training with one scale per tensor, in the default ("hybrid") formats of NVIDIA Transformer
// Engine: x and W in E4M3, dy in E5M2. Arithmetic and formats: arXiv 2209.05433.
//
//   fp8          current scaling: the scale is computed from the amax of the tensor itself, which
//                takes an additional reading, unless the kernel that wrote the tensor provides it
//   fp8_delayed  delayed scaling: the scale is computed from the amax of previous steps, so that
//                the cast is the only reading
//
// Tensor cores need FP8 operands with the reduction axis innermost, so the cast also writes the
// transpose, from the same reading.
#include <cstddef>

#include "kernels/recipes/quantized_recipe.h"

namespace mansard::kernels {
namespace {

using fp8::Format;
using fp8::TensorScale;

// cuBLASLt requires scales aligned to 16 bytes and reports a violation only when the GEMM runs.
struct Fp8Scalars {
  float amax;
  float unused[2];
  TensorScale scale;
};
static_assert((offsetof(Fp8Scalars, scale) + offsetof(TensorScale, inverse)) % 16 == 0);

class Fp8Tensor : public QuantizedTensor {
 public:
  Fp8Tensor(const TensorSource& source, Format format, Arena& arena)
      : QuantizedTensor(source, source.name + "^T",
                        format == Format::e4m3 ? Precision::fp8_e4m3 : Precision::fp8_e5m2),
        format_(format),
        codes_(arena.reserve(source.shape.elements(), source.lifetime)),
        codes_t_(arena.reserve(source.shape.elements(), source.lifetime)),
        scalars_(arena.reserve(sizeof(Fp8Scalars), source.lifetime)) {}

  bool reads_amax() const override { return true; }

  void quantize(MicroBatch, PassBuilder& out) const override {
    float* const own = &scalars()->amax;
    find_amax(own, out);
    cast(amax(own), nullptr, out);
  }

  GemmOperand codes(Direction direction) const override {
    return {codes_in(direction), ReductionAxis::inner, precision(), Scaling::tensor,
            factor(direction)};
  }

  void expand(Direction direction, Bf16* to, PassBuilder& out) const override {
    const Shape s = shape(direction);
    const std::int64_t bytes = s.elements() + nvfp4::bf16_bytes(s);
    out.add("decode " + name(direction), "dequantize", precision(), s, bytes,
            [&b = out.backend, format = format_, codes = codes_in(direction), s, to] {
              b.fp8_decode(format, codes, s, to);
            });
  }

  const float* factor(Direction) const override { return &scalars()->scale.inverse; }

 protected:
  const Buffer& scalars_buffer() const { return scalars_; }
  Fp8Scalars* scalars() const { return scalars_.as<Fp8Scalars>(); }
  Format format() const { return format_; }

  void cast(const float* amax, float* raised_amax, PassBuilder& out) const {
    out.add("cast " + both_names(), "quantize", precision(), shape(),
            fp8::traffic::cast_transpose(shape()),
            [&b = out.backend, format = format_, x = values(), s = shape(), amax, raised_amax,
             scale = &scalars()->scale, codes = codes_in(Direction::rows),
             codes_t = codes_in(Direction::columns)] {
              b.fp8_cast_transpose(format, x, s, amax, scale, codes, codes_t, raised_amax);
            });
  }

 private:
  std::uint8_t* codes_in(Direction direction) const {
    return (direction == Direction::rows ? codes_ : codes_t_).as<std::uint8_t>();
  }

  Format format_;
  Buffer codes_, codes_t_, scalars_;
};

// The scale changes between steps, not between micro-batches, so that W's codes and scale are valid
// for the whole step. In the first step, without history, it is 1.
class DelayedFp8Tensor : public Fp8Tensor {
 public:
  // Default history length of Transformer Engine.
  static constexpr int kHistoryLength = 1024;

  DelayedFp8Tensor(const TensorSource& source, Format format, Arena& arena)
      : Fp8Tensor(source, format, arena),
        history_(arena.reserve(sizeof(float) * kHistoryLength, Lifetime::state)) {}

  void start(Backend& backend) const override {
    const std::vector<float> unseen(kHistoryLength, 0.0f);
    backend.write(history_.as<float>(), unseen.data(), sizeof(float) * kHistoryLength);
    backend.write(&scalars()->amax, unseen.data(), sizeof(float));
  }

  std::vector<StateTensor> state() const override {
    return {{name() + ".scale", scalars_buffer(), sizeof(Fp8Scalars)},
            {name() + ".amax_history", history_, sizeof(float) * kHistoryLength}};
  }

  bool reads_amax() const override { return false; }

  void quantize(MicroBatch which, PassBuilder& out) const override {
    float* amax = &scalars()->amax;
    if (which == MicroBatch::first) {
      // amax and the history are read and written; the scale is written.
      constexpr std::int64_t kBytes =
          2 * sizeof(float) * (1 + kHistoryLength) + sizeof(TensorScale);
      out.add("scale of " + name(), "elementwise", precision(), {1, kHistoryLength}, kBytes,
              [&b = out.backend, format = format(), amax, history = history_.as<float>(),
               scale = &scalars()->scale] {
                b.fp8_update_scale(format, amax, history, kHistoryLength, scale);
              });
    }
    cast(nullptr, amax, out);
  }

 private:
  Buffer history_;
};

template <typename Tensor>
std::unique_ptr<LayerRecipe> make_recipe(const LayerTensors& t, Backend& backend, Arena& arena) {
  QuantizedRecipe::Parts parts;
  parts.x = std::make_unique<Tensor>(x_of(t), Format::e4m3, arena);
  parts.w = std::make_unique<Tensor>(w_of(t), Format::e4m3, arena);
  parts.dy = std::make_unique<Tensor>(dy_of(t), Format::e5m2, arena);
  parts.combine = &Conversions::fp8_gemm_alpha;
  parts.fast_accumulation = true;
  return std::make_unique<QuantizedRecipe>(t, std::move(parts),
                                           multiplies_layer(backend, Scaling::tensor, t), arena);
}

}  // namespace

std::unique_ptr<LayerRecipe> make_fp8_recipe(const LayerTensors& tensors, Backend& backend,
                                             Arena& arena) {
  return make_recipe<Fp8Tensor>(tensors, backend, arena);
}

std::unique_ptr<LayerRecipe> make_fp8_delayed_recipe(const LayerTensors& tensors, Backend& backend,
                                                     Arena& arena) {
  return make_recipe<DelayedFp8Tensor>(tensors, backend, arena);
}

}  // namespace mansard::kernels
