// SPDX-License-Identifier: Apache-2.0
// Compares the measurements of a layer with FP64 loops over the operands that its GEMMs read.
#pragma once

#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/formats/random_input.h"
#include "kernels/recipes/linear_layer.h"
#include "tests/kernels/recipes/gemm_operand_values.h"

namespace mansard::kernels {

// A layer with its own tensors. x is 300 times normal: the first step of delayed scaling, whose
// scale is 1, saturates.
class MeasuredLayer {
 public:
  static constexpr std::int64_t kTokens = 160, kIn = 96, kOut = 224;

  MeasuredLayer(Recipe recipe, Backend& backend, const RecipeOptions& options = {})
      : recipe_(recipe), options_(options), backend_(backend) {
    const LinearProblem problem = {"layer", kTokens, kIn, kOut};
    ReservedLayer reserved = reserve_layer(problem, recipe, backend, arena_, options);
    const std::int64_t largest = 2 * kTokens * kOut;
    const MeasurementScratch scratch = {
        arena_.reserve(largest), arena_.reserve(largest),
        arena_.reserve(numerics::kPartialSums * std::int64_t{sizeof(numerics::Sums)})};
    const Buffer sums = arena_.reserve(LinearLayer::kSumsBytes);
    const Buffer workspace = arena_.reserve(backend.gemm_workspace_bytes());
    arena_.allocate(backend);
    x_ = write(reserved.tensors.x, kTokens * kIn, 1, 300);
    w_ = write(reserved.tensors.w, kOut * kIn, 2, 0.02f);
    dy_ = write(reserved.tensors.dy, kTokens * kOut, 3, 1e-4f);
    layer_.emplace(std::move(reserved), 1, workspace.as<void>(), backend);
    layer_->prepare_measurement(scratch, sums);
  }

  void run(Pass pass) {
    layer_->run(pass);
    expect(pass);
    layer_->measure(pass);
  }
  // Valid when all passes have run.
  std::vector<TensorNumerics> numerics() const { return layer_->numerics(); }
  const std::vector<TensorNumerics>& expected() const { return expected_; }
  const std::vector<double>& x() const { return x_; }

 private:
  std::vector<double> write(const Buffer& to, std::int64_t count, std::uint64_t seed, float scale) {
    std::vector<Bf16> elements;
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) {
      const float x = random_float(DataPattern::random_normal, seed, static_cast<std::uint64_t>(i));
      elements.push_back(bf16::from_float(i % 13 == 0 ? 0.0f : scale * x));
      values.push_back(double{bf16::to_float(elements.back())});
    }
    backend_.write(to.as<Bf16>(), elements.data(), 2 * count);
    return values;
  }

  static std::vector<double> transposed(const std::vector<double>& x, std::int64_t rows,
                                        std::int64_t cols) {
    std::vector<double> t;
    for (std::int64_t i = 0; i < rows * cols; ++i) {
      t.push_back(x[static_cast<std::size_t>(i % rows * cols + i / rows)]);
    }
    return t;
  }

  // The definition of the transform, in runs of 16.
  static void transform(std::vector<double>& x) {
    constexpr int kSigns[] = {1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1};
    for (std::size_t run = 0; run < x.size(); run += 16) {
      double out[16] = {};
      for (unsigned i = 0; i < 16; ++i) {
        for (unsigned j = 0; j < 16; ++j) {
          out[i] += (std::popcount(i & j) % 2 == 0 ? 1 : -1) * kSigns[j] * x[run + j] / 4;
        }
      }
      for (unsigned i = 0; i < 16; ++i) {
        x[run + i] = double{bf16::to_float(bf16::from_float(static_cast<float>(out[i])))};
      }
    }
  }

  // The factor of a tensor besides those of its blocks.
  double factor(const std::vector<double>& source, bool is_gradient) const {
    double amax = 0;
    for (const double x : source) amax = std::max(amax, std::fabs(x));
    if (recipe_ == Recipe::nvfp4) return amax / (6.0 * 448.0);
    if (recipe_ == Recipe::fp8) return amax / (is_gradient ? 57344.0 : 448.0);
    return 1;
  }

  void expect(Pass pass) {
    const GemmProblem& p = layer_->plan(pass).gemm;
    const bool fprop = pass == Pass::fprop;
    const bool wgrad = pass == Pass::wgrad;
    std::vector<double> a = fprop ? x_ : wgrad ? transposed(dy_, kTokens, kOut) : dy_;
    std::vector<double> b = fprop   ? w_
                            : wgrad ? transposed(x_, kTokens, kIn)
                                    : transposed(w_, kOut, kIn);
    if (wgrad && recipe_ == Recipe::nvfp4 && options_.hadamard) {
      transform(a);
      transform(b);
    }
    expect(pass, fprop ? "x" : "dy", a, operand_values(p.a, p.m, p.k, backend_));
    expect(pass, wgrad ? "x" : "W", b, operand_values(p.b, p.n, p.k, backend_));
  }

  void expect(Pass pass, const char* tensor, const std::vector<double>& source,
              const std::vector<double>& codes) {
    ASSERT_EQ(source.size(), codes.size());
    TensorNumerics n;
    n.tensor = tensor;
    n.gemm = to_string(pass);
    n.elements = static_cast<std::int64_t>(source.size());
    const double unit = factor(source, n.tensor == "dy");
    double squares = 0, errors = 0, nonzero = 0, underflowed = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
      const double q = unit * codes[i];
      squares += source[i] * source[i];
      errors += std::pow(source[i] - q, 2);
      nonzero += source[i] != 0 ? 1 : 0;
      underflowed += source[i] != 0 && q == 0 ? 1 : 0;
      n.amax = std::max(n.amax, std::fabs(source[i]));
    }
    n.rms = std::sqrt(squares / static_cast<double>(source.size()));
    n.underflow = underflowed / nonzero;
    n.snr_db = 10 * std::log10(squares / errors);
    expected_.push_back(n);
  }

  Recipe recipe_;
  RecipeOptions options_;
  Backend& backend_;
  Arena arena_;
  std::vector<double> x_, w_, dy_;
  std::optional<LinearLayer> layer_;
  std::vector<TensorNumerics> expected_;
};

inline std::optional<Precision> format_of(Recipe recipe, const std::string& tensor) {
  switch (recipe) {
    case Recipe::bf16:
      return Precision::bf16;
    case Recipe::fp8:
    case Recipe::fp8_delayed:
      return tensor == "dy" ? Precision::fp8_e5m2 : Precision::fp8_e4m3;
    case Recipe::fp8_block:
      return Precision::fp8_e4m3;
    case Recipe::mxfp8:
      return Precision::mxfp8;
    case Recipe::nvfp4:
      return Precision::nvfp4;
    default:
      return std::nullopt;
  }
}

inline void expect_measurements_of_fp64(Recipe recipe, Backend& backend,
                                        const RecipeOptions& options = {}) {
  SCOPED_TRACE(std::string(to_string(recipe)));
  MeasuredLayer layer(recipe, backend, options);
  for (const Pass pass : kPasses) layer.run(pass);
  const std::vector<TensorNumerics> all = layer.numerics();
  ASSERT_EQ(all.size(), 6u);
  ASSERT_EQ(layer.expected().size(), 6u);
  double beyond_448 = 0;
  for (const double x : layer.x()) beyond_448 += std::fabs(x) > 448 * 1.0078125 ? 1 : 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TensorNumerics& n = all[i];
    const TensorNumerics& expected = layer.expected()[i];
    SCOPED_TRACE(n.tensor + " of " + n.gemm);
    EXPECT_EQ(n.tensor, expected.tensor);
    EXPECT_EQ(n.gemm, expected.gemm);
    EXPECT_EQ(n.elements, expected.elements);
    EXPECT_EQ(n.format, format_of(recipe, n.tensor));
    EXPECT_EQ(n.amax, expected.amax);
    EXPECT_NEAR(n.rms, expected.rms, 1e-6 * expected.rms);
    if (recipe == Recipe::bf16) {
      EXPECT_EQ(n.snr_db, std::nullopt);
      EXPECT_EQ(n.underflow, std::nullopt);
      EXPECT_EQ(n.saturated, std::nullopt);
      continue;
    }
    ASSERT_TRUE(n.snr_db && n.underflow);
    EXPECT_NEAR(*n.snr_db, *expected.snr_db, 1e-3);
    EXPECT_NEAR(*n.underflow, *expected.underflow, 1e-12);
    const bool mor = recipe == Recipe::mor_tensor || recipe == Recipe::mor_block;
    EXPECT_EQ(n.saturated.has_value(), !mor);
    if (recipe == Recipe::fp8 || recipe == Recipe::fp8_block) {
      EXPECT_EQ(n.saturated, 0) << "scales follow the largest element";
    }
    if (recipe == Recipe::fp8_delayed) {
      EXPECT_DOUBLE_EQ(*n.saturated,
                       n.tensor == "x" ? beyond_448 / static_cast<double>(layer.x().size()) : 0);
    }
    if (recipe == Recipe::nvfp4) {
      EXPECT_LT(*n.saturated, 0.1);
    }
  }
}

}  // namespace mansard::kernels
