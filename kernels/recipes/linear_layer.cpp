// SPDX-License-Identifier: Apache-2.0
#include "kernels/recipes/linear_layer.h"

#include <cmath>
#include <stdexcept>

#include "kernels/annotation/range.h"
#include "kernels/nvfp4/random_input.h"

namespace mansard {

std::string_view to_string(Recipe recipe) { return recipe == Recipe::bf16 ? "bf16" : "nvfp4"; }

std::optional<Recipe> parse_recipe(std::string_view key) {
  for (const Recipe recipe : {Recipe::bf16, Recipe::nvfp4}) {
    if (to_string(recipe) == key) return recipe;
  }
  return std::nullopt;
}

std::string_view to_string(Pass pass) {
  constexpr std::array<std::string_view, 3> kNames = {"fprop", "dgrad", "wgrad"};
  return kNames[static_cast<std::size_t>(pass)];
}

double PassPlan::flop() const {
  double sum = 0;
  for (const Operation& operation : operations) sum += operation.work.flop;
  return sum;
}

double PassPlan::bytes() const {
  double sum = 0;
  for (const Operation& operation : operations) {
    for (const auto& [level, bytes] : operation.work.bytes) sum += bytes;
  }
  return sum;
}

Operation gemm_operation(const std::string& name, const GemmProblem& p, Backend& backend) {
  WorkAnnotation work;
  work.name = name;
  work.flop = p.flop();
  work.bytes[backend.traffic_level()] = p.compulsory_bytes();
  work.precision = backend.gemm_precision();
  work.operation_class = "gemm";
  work.shape = std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k);
  return {to_text(work), work, backend.prepare_gemm(p)};
}

namespace {

void require_layer_shape(const LinearProblem& p) {
  for (const std::int64_t size : {p.tokens, p.in_features, p.out_features}) {
    if (size > 0 && size % 16 == 0) continue;
    throw std::invalid_argument("layer '" + p.name + "' with " + std::to_string(p.tokens) +
                                " tokens, " + std::to_string(p.in_features) + " -> " +
                                std::to_string(p.out_features) +
                                " features: every size must be a positive multiple of 16, the "
                                "block of NVFP4");
  }
}

LayerTensors make_tensors(const LinearProblem& p, Backend& backend) {
  const std::int64_t x = p.tokens * p.in_features;
  const std::int64_t w = p.out_features * p.in_features;
  const std::int64_t y = p.tokens * p.out_features;
  LayerTensors t = {p.tokens,
                    p.in_features,
                    p.out_features,
                    p.seed,
                    backend.allocate(2 * x),
                    backend.allocate(2 * w),
                    backend.allocate(2 * y),
                    backend.allocate(2 * y),
                    backend.allocate(2 * x),
                    backend.allocate(4 * w)};
  // Magnitudes in the proportions of training: activations near 1, weights near 1/64, gradients
  // small. Powers of two, so they change exponents only.
  backend.fill(t.x.as<Bf16>(), x, p.pattern, 3 * p.seed, 0);
  backend.fill(t.w.as<Bf16>(), w, p.pattern, 3 * p.seed + 1, -6);
  backend.fill(t.dy.as<Bf16>(), y, p.pattern, 3 * p.seed + 2, -10);
  return t;
}

std::vector<double> read_operand_row(const GemmOperand& operand, std::int64_t rows, std::int64_t k,
                                     std::int64_t row, Backend& backend) {
  std::vector<Bf16> bits(static_cast<std::size_t>(k));
  if (operand.reduction == ReductionAxis::inner) {
    backend.read(bits.data(), operand.data + row * k, 2 * k);
  } else {
    backend.read(bits.data(), operand.data + row, 2, k, 2 * rows);
  }
  std::vector<double> values;
  values.reserve(bits.size());
  for (const Bf16 b : bits) values.push_back(bf16::to_float(b));
  return values;
}

double read_result(const GemmProblem& p, std::int64_t row, std::int64_t col, Backend& backend) {
  const std::int64_t index = row * p.n + col;
  if (p.output == GemmOutput::fp32) {
    float value = 0;
    backend.read(&value, static_cast<const float*>(p.c) + index, sizeof value);
    return value;
  }
  Bf16 value{};
  backend.read(&value, static_cast<const Bf16*>(p.c) + index, sizeof value);
  return bf16::to_float(value);
}

}  // namespace

LinearLayer::LinearLayer(const LinearProblem& problem, Recipe recipe, Backend& backend)
    : problem_(problem), backend_(&backend), annotation_("layer " + problem.name) {
  require_layer_shape(problem);
  const LayerTensors tensors = make_tensors(problem, backend);
  plans_ = recipe == Recipe::bf16 ? plan_bf16(tensors, backend) : plan_nvfp4(tensors, backend);
}

void LinearLayer::run(Pass pass) const {
  const AnnotatedRange layer(annotation_);
  const AnnotatedRange range(to_string(pass).data());
  for (const Operation& operation : plan(pass).operations) {
    const AnnotatedRange step(operation.annotation);
    operation.run();
  }
}

std::string LinearLayer::verify(Pass pass, int samples, std::uint64_t seed) const {
  run(pass);
  const GemmProblem& p = plan(pass).gemm;
  float alpha = 1.0f;
  if (p.alpha != nullptr) backend_->read(&alpha, p.alpha, sizeof alpha);
  // Worst-case FP32 accumulation errs by k * 2^-24 of the sum of magnitudes; random signs leave its
  // square root. Tensor cores truncate, hence the factor 8. BF16 rounds to 2^-9 of the result.
  const double accumulate = 8 * std::sqrt(static_cast<double>(p.k)) * 0x1p-24;
  const double rounding = p.output == GemmOutput::bf16 ? 0x1p-8 : 0x1p-23;
  for (int s = 0; s < samples; ++s) {
    const std::uint64_t word = random_input::mix(seed + static_cast<std::uint64_t>(s) + 1);
    const auto row = static_cast<std::int64_t>((word >> 32) % static_cast<std::uint64_t>(p.m));
    const auto col =
        static_cast<std::int64_t>((word & 0xffffffffu) % static_cast<std::uint64_t>(p.n));
    const std::vector<double> a = read_operand_row(p.a, p.m, p.k, row, *backend_);
    const std::vector<double> b = read_operand_row(p.b, p.n, p.k, col, *backend_);
    double expected = 0;
    double magnitude = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      expected += a[i] * b[i];
      magnitude += std::fabs(a[i] * b[i]);
    }
    expected *= alpha;
    magnitude *= std::fabs(alpha);
    const double actual = read_result(p, row, col, *backend_);
    const double allowed = accumulate * magnitude + rounding * std::fabs(expected);
    if (std::fabs(actual - expected) <= allowed) continue;  // false for NaN
    return std::string(to_string(pass)) + " of layer '" + problem_.name + "': element (" +
           std::to_string(row) + ", " + std::to_string(col) + ") is " + std::to_string(actual) +
           ", FP64 gives " + std::to_string(expected) + ", allowed error " +
           std::to_string(allowed);
  }
  return "";
}

}  // namespace mansard
