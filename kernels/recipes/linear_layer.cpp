// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/linear_layer.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "kernels/annotation/range.h"
#include "kernels/ceilings/mma/accumulation_error.h"
#include "kernels/formats/random_input.h"
#include "kernels/recipes/operand_values.h"

namespace mansard::kernels {
namespace {

void require_layer_shape(const LinearProblem& p) {
  for (const std::int64_t size : {p.tokens, p.in_features, p.out_features}) {
    if (size > 0 && size % 16 == 0) continue;
    throw std::invalid_argument("layer '" + p.name + "' with " + std::to_string(p.tokens) +
                                " tokens, " + std::to_string(p.in_features) + " -> " +
                                std::to_string(p.out_features) +
                                " features: every size must be a positive multiple of 16 (the "
                                "block size of NVFP4 and the alignment of FP8 GEMMs)");
  }
}

}  // namespace

bool quantizes(const Operation& operation) {
  return operation.work.operation_class == "amax" || operation.work.operation_class == "quantize";
}

ReservedLayer reserve_layer(const LinearProblem& p, Recipe recipe, Backend& backend, Arena& arena,
                            const RecipeOptions& options) {
  const std::int64_t x = p.tokens * p.in_features;
  const std::int64_t w = p.out_features * p.in_features;
  const std::int64_t y = p.tokens * p.out_features;
  LayerTensors t;
  t.x = arena.reserve(2 * x);
  t.w = arena.reserve(2 * w);
  t.y = arena.reserve(2 * y);
  t.dy = arena.reserve(2 * y);
  t.dx = arena.reserve(2 * x);
  t.dw = arena.reserve(4 * w);
  return reserve_layer(p, t, recipe, backend, arena, options);
}

ReservedLayer reserve_layer(const LinearProblem& p, const LayerTensors& tensors, Recipe recipe,
                            Backend& backend, Arena& arena, const RecipeOptions& options) {
  require_layer_shape(p);
  LayerTensors t = tensors;
  t.tokens = p.tokens;
  t.in_features = p.in_features;
  t.out_features = p.out_features;
  t.seed = p.seed;
  return {p, t, make_layer_recipe(recipe, t, backend, arena, options)};
}

LinearLayer::LinearLayer(ReservedLayer reserved, int micro_batches, void* workspace,
                         Backend& backend)
    : problem_(std::move(reserved.problem)),
      backend_(&backend),
      annotation_("layer " + problem_.name),
      recipe_(std::move(reserved.recipe)) {
  recipe_->start(backend);
  for (const MicroBatch which : kMicroBatches) {
    if (which == MicroBatch::later && micro_batches == 1) continue;
    for (const Pass pass : kPasses) {
      plans_[static_cast<std::size_t>(which)][static_cast<std::size_t>(pass)] =
          recipe_->plan(pass, which, PassBuilder(backend, workspace));
    }
  }
}

void LinearLayer::run(Pass pass, MicroBatch which, Operands operands) const {
  const AnnotatedRange layer(annotation_);
  const AnnotatedRange range(to_string(pass).data());
  for (const Operation& operation : plan(pass, which).operations) {
    if (operands == Operands::keep && quantizes(operation)) continue;
    const AnnotatedRange step(operation.annotation);
    operation.run();
  }
}

void LinearLayer::prepare_measurement(const MeasurementScratch& scratch, const Buffer& sums) {
  sums_ = sums;
  for (const Pass pass : kPasses) {
    const auto index = static_cast<std::size_t>(pass);
    measured_[index] =
        recipe_->measure(pass, scratch, sums.as<numerics::Sums>() + 2 * index, *backend_);
  }
}

void LinearLayer::measure(Pass pass) const {
  const AnnotatedRange range("numerics");
  for (const MeasuredOperand& operand : measured_[static_cast<std::size_t>(pass)]) {
    for (const Operation& operation : operand.operations) {
      const AnnotatedRange step(operation.annotation);
      operation.run();
    }
  }
}

namespace {

TensorNumerics numerics_of(const MeasuredOperand& operand, const numerics::Sums& sums) {
  TensorNumerics n;
  n.tensor = operand.tensor;
  n.format = operand.format;
  n.elements = operand.shape.elements();
  const auto elements = static_cast<double>(n.elements);
  n.amax = double{bf16::to_float({static_cast<std::uint16_t>(sums.amax_bits)})};
  n.rms = std::sqrt(sums.squares / elements);
  if (!operand.is_compared) return n;
  n.underflow = sums.nonzero == 0
                    ? 0
                    : static_cast<double>(sums.underflowed) / static_cast<double>(sums.nonzero);
  if (operand.counts_saturation) n.saturated = static_cast<double>(sums.saturated) / elements;
  if (sums.error_squares > 0 && sums.squares > 0) {
    n.snr_db = 10 * std::log10(sums.squares / sums.error_squares);
  }
  return n;
}

}  // namespace

std::vector<TensorNumerics> LinearLayer::numerics() const {
  std::array<numerics::Sums, 2 * kPasses.size()> sums;
  static_assert(sizeof sums == kSumsBytes);
  backend_->read(sums.data(), sums_.as<numerics::Sums>(), sizeof sums);
  std::vector<TensorNumerics> all;
  for (const Pass pass : kPasses) {
    const auto index = static_cast<std::size_t>(pass);
    for (std::size_t i = 0; i < 2; ++i) {
      all.push_back(numerics_of(measured_[index][i], sums[2 * index + i]));
      all.back().gemm = to_string(pass);
    }
  }
  return all;
}

// For LinearLayer::verify(): compares sampled elements of a GEMM's result with FP64.
namespace {

// An element of C, and its value before the pass if the pass accumulates.
struct Sample {
  std::int64_t row = 0, col = 0;
  double before = 0;
};

double read_result(const GemmProblem& p, const Sample& sample, Backend& backend) {
  const std::int64_t index = sample.row * p.n + sample.col;
  if (p.output == GemmOutput::fp32) {
    float value = 0;
    backend.read(&value, static_cast<const float*>(p.c) + index, sizeof value);
    return value;
  }
  Bf16 value{};
  backend.read(&value, static_cast<const Bf16*>(p.c) + index, sizeof value);
  return bf16::to_float(value);
}

std::vector<Sample> choose_samples(const GemmProblem& p, int count, std::uint64_t seed,
                                   Backend& backend) {
  std::vector<Sample> samples;
  for (int s = 0; s < count; ++s) {
    const std::uint64_t word = mix64(seed + static_cast<std::uint64_t>(s) + 1);
    Sample sample;
    sample.row = static_cast<std::int64_t>((word >> 32) % static_cast<std::uint64_t>(p.m));
    sample.col = static_cast<std::int64_t>((word & 0xffffffffu) % static_cast<std::uint64_t>(p.n));
    if (p.accumulate) sample.before = read_result(p, sample, backend);
    samples.push_back(sample);
  }
  return samples;
}

// One element, before multiplication by alpha.
struct ExactSum {
  ExactSum(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double product = a[i] * b[i];
      value += product;
      magnitude += std::fabs(product);
      peak = std::max({peak, std::fabs(product), std::fabs(value)});
    }
  }
  double value = 0;
  double magnitude = 0;  // sum of the products' magnitudes
  double peak = 0;       // largest product or partial sum
};

// The worst-case error of FP32 accumulation is k * 2^-24 of the sum of magnitudes; with random
// signs k becomes sqrt(k). Tensor cores truncate, hence the factor 8.
//
// FP8 tensor cores may truncate the running sum to kFp8FractionBits at each instruction of 32
// products, an error of one unit of the largest sum per instruction. A run of adjacent products
// sums to at most twice the peak of the whole, which covers a split reduction axis. The allowance
// is the same without fast accumulation, because it is not documented how often cuBLASLt then moves
// sums to FP32 registers, and for every other quantized format.
double accumulation_error(const GemmProblem& p, const ExactSum& sum) {
  const double k = static_cast<double>(p.k);
  const double fp32 = 8 * std::sqrt(k) * 0x1p-24 * sum.magnitude;
  if (!p.a.is_quantized()) return fp32;
  constexpr double kInstructionK = 32;
  return fp32 + 2 * std::ceil(k / kInstructionK) * std::ldexp(sum.peak, -kFp8FractionBits);
}

}  // namespace

std::string LinearLayer::verify(Pass pass, MicroBatch which, int count, std::uint64_t seed) const {
  const GemmProblem& p = plan(pass, which).gemm;
  const std::vector<Sample> samples = choose_samples(p, count, seed, *backend_);
  run(pass, which);
  const double factor = double{read_gemm_factor(p, *backend_)};
  // BF16 rounds to 2^-8 of the result; FP32 to 2^-24, doubled, because alpha is rounded too.
  const double rounding = p.output == GemmOutput::bf16 ? 0x1p-8 : 0x1p-23;
  for (const Sample& sample : samples) {
    const ExactSum sum(read_operand_row(p.a, p.m, p.k, sample.row, *backend_),
                       read_operand_row(p.b, p.n, p.k, sample.col, *backend_));
    const double product = factor * sum.value;
    const double expected = sample.before + product;
    const double actual = read_result(p, sample, *backend_);
    const double allowed = std::fabs(factor) * accumulation_error(p, sum) +
                           rounding * (std::fabs(product) + std::fabs(sample.before));
    if (std::fabs(actual - expected) <= allowed) continue;  // false for NaN
    return std::string(to_string(pass)) + " of layer '" + problem_.name + "': element (" +
           std::to_string(sample.row) + ", " + std::to_string(sample.col) + ") is " +
           std::to_string(actual) + ", FP64 gives " + std::to_string(expected) +
           ", allowed error " + std::to_string(allowed);
  }
  return "";
}

}  // namespace mansard::kernels
