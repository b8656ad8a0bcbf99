// SPDX-License-Identifier: Apache-2.0
// NVFP4 with parts of the method omitted. Operands are compared with the reference functions of
// kernels/nvfp4 bit for bit.
#include "tests/kernels/recipes/nvfp4_options.h"

#include <gtest/gtest.h>

#include "kernels/formats/random_input.h"
#include "kernels/nvfp4/reference.h"
#include "tests/kernels/recipes/layer_results.h"
#include "tests/kernels/recipes/small_problem.h"

namespace mansard::kernels {
namespace {

// Quantized values without the factor of the tensor, and its amax.
struct ExpectedOperand {
  std::vector<double> values;
  float amax = 0;
};

// Quantizes with `quantize(Matrix)`, and expands the codes to values.
template <typename Quantize>
ExpectedOperand quantized(Shape shape, float amax, const Quantize& quantize) {
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(nvfp4::code_bytes(shape)));
  std::vector<std::uint8_t> scales(static_cast<std::size_t>(nvfp4::scale_bytes(shape)));
  const nvfp4::Matrix matrix = {codes.data(), scales.data()};
  quantize(matrix);
  std::vector<Bf16> elements(static_cast<std::size_t>(shape.elements()));
  nvfp4::reference::dequantize(matrix, shape, elements.data());
  ExpectedOperand expected{{}, amax};
  for (const Bf16 element : elements) expected.values.push_back(double{bf16::to_float(element)});
  return expected;
}

// A tensor of the layer with its quantizations.
class RecipeTensor {
 public:
  // Data as in a TrainingStep.
  RecipeTensor(Shape shape, std::uint64_t stream, int exponent)
      : shape_(shape), x_(static_cast<std::size_t>(shape.elements())) {
    fill_random(x_.data(), shape.elements(), kSmallProblem.pattern, 3 * kSmallProblem.seed + stream,
                exponent);
  }

  ExpectedOperand rows(const nvfp4::RandomState* random = nullptr) const {
    const float amax = nvfp4::reference::amax(x_.data(), shape_);
    return quantized(shape_, amax, [&](nvfp4::Matrix out) {
      nvfp4::reference::quantize_1x16(x_.data(), shape_, amax, out, {.random = random});
    });
  }
  ExpectedOperand columns(bool hadamard, const nvfp4::RandomState* random = nullptr) const {
    const float amax = hadamard ? nvfp4::reference::amax_rht_transposed(x_.data(), shape_)
                                : nvfp4::reference::amax(x_.data(), shape_);
    const auto transform = hadamard ? nvfp4::Transform::rht : nvfp4::Transform::none;
    return quantized(shape_.transposed(), amax, [&](nvfp4::Matrix out) {
      nvfp4::reference::quantize_transposed(x_.data(), shape_, amax, transform, out,
                                            {.random = random});
    });
  }
  ExpectedOperand tiles(bool transposed) const {
    const float amax = nvfp4::reference::amax(x_.data(), shape_);
    const Shape other = transposed ? shape_ : shape_.transposed();
    std::vector<std::uint8_t> codes(static_cast<std::size_t>(nvfp4::code_bytes(other)));
    std::vector<std::uint8_t> scales(static_cast<std::size_t>(nvfp4::scale_bytes(other)));
    const nvfp4::Matrix unused = {codes.data(), scales.data()};
    return quantized(transposed ? shape_.transposed() : shape_, amax, [&](nvfp4::Matrix out) {
      nvfp4::reference::quantize_16x16(x_.data(), shape_, amax, transposed ? unused : out,
                                       transposed ? out : unused);
    });
  }

 private:
  Shape shape_;
  std::vector<Bf16> x_;
};

class Nvfp4Options : public testing::TestWithParam<RecipeOptions> {
 protected:
  const LinearLayer& layer() const { return step_.layers().front(); }

  void expect_operands(Pass pass, const ExpectedOperand& a, const ExpectedOperand& b) {
    SCOPED_TRACE(std::string(to_string(pass)));
    layer().run(pass);
    const GemmProblem& p = layer().plan(pass).gemm;
    EXPECT_EQ(operand_values(p.a, p.m, p.k, *backend_), a.values);
    EXPECT_EQ(operand_values(p.b, p.n, p.k, *backend_), b.values);
    EXPECT_EQ(read_gemm_factor(p, *backend_), nvfp4::reference::gemm_alpha(a.amax, b.amax));
  }

  std::unique_ptr<Backend> backend_ = make_cpu_backend();
  TrainingStep step_{{kSmallProblem}, Recipe::nvfp4, *backend_, 2, GetParam()};
};

TEST_P(Nvfp4Options, QuantizeAsTheReferenceBitForBit) {
  const RecipeOptions& o = GetParam();
  const RecipeTensor x(kSmallX, 0, 0), w(kSmallW, 1, -6), dy(kSmallDy, 2, -10);
  const nvfp4::RandomState first_draw = {kSmallProblem.seed, 1};
  const nvfp4::RandomState* random = o.stochastic_rounding ? &first_draw : nullptr;
  expect_operands(Pass::fprop, x.rows(), o.weights_2d ? w.tiles(false) : w.rows());
  expect_operands(Pass::dgrad, dy.rows(random), o.weights_2d ? w.tiles(true) : w.columns(false));
  expect_operands(Pass::wgrad, dy.columns(o.hadamard, random), x.columns(o.hadamard));
}

TEST_P(Nvfp4Options, MatchFp64OfTheirOperands) {
  EXPECT_EQ(step_.verify(300, 9), std::vector<std::string>{});
}

TEST_P(Nvfp4Options, NameWhatTheyQuantizeAndCountItsBytes) {
  const RecipeOptions& o = GetParam();
  struct Named {
    std::string name;
    std::int64_t bytes;
  };
  const auto amax = [](Shape s, bool both) {
    return both ? nvfp4::traffic::amax_rht(s) : nvfp4::traffic::amax(s);
  };
  // The traffic of quantize_both() includes two amax values.
  const auto quantize = [](Shape s, int amax_values) {
    return nvfp4::traffic::quantize_both(s) - 8 + 4 * amax_values;
  };
  const auto transposed = [&](const std::string& name) {
    return o.hadamard ? "RHT(" + name + "^T)" : name + "^T";
  };
  const int values = o.hadamard ? 2 : 1;
  std::vector<Named> fprop = {{"amax x", amax(kSmallX, o.hadamard)},
                              {"quantize x and " + transposed("x"), quantize(kSmallX, values)},
                              {"amax W", amax(kSmallW, false)},
                              {"quantize W and W^T", quantize(kSmallW, 1)}};
  std::vector<Named> dgrad = {{"amax dy", amax(kSmallDy, o.hadamard)}};
  if (o.stochastic_rounding) dgrad.push_back({"next random numbers", 16});
  dgrad.push_back({"quantize dy and " + transposed("dy"), quantize(kSmallDy, values)});
  for (const auto& [pass, expected] :
       {std::pair(Pass::fprop, fprop), std::pair(Pass::dgrad, dgrad)}) {
    const std::vector<Operation>& operations = layer().plan(pass).operations;
    ASSERT_GT(operations.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(operations[i].work.name, expected[i].name);
      EXPECT_EQ(operations[i].work.bytes.at(MemoryLevel::dram),
                static_cast<double>(expected[i].bytes))
          << expected[i].name;
    }
  }
  EXPECT_EQ(layer().plan(Pass::wgrad).operations.front().work.name,
            "dequantize " + transposed("dy"));
}

// Only random numbers are carried from step to step.
TEST_P(Nvfp4Options, KeepStateOnlyForStochasticRounding) {
  EXPECT_EQ(layer().state().size(), GetParam().stochastic_rounding ? 1u : 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Nvfp4Options, testing::ValuesIn(nvfp4_options()),
                         [](const auto& test) { return to_string(test.param); });

// Without random numbers, every step yields the same gradients.
TEST(Nvfp4WithoutStochasticRounding, RepeatsItsGradients) {
  const auto gradients = [](bool stochastic) {
    const auto backend = make_cpu_backend();
    RecipeOptions options;
    options.stochastic_rounding = stochastic;
    TrainingStep step({kSmallProblem}, Recipe::nvfp4, *backend, 1, options);
    std::vector<std::vector<double>> of_steps;
    for (int i = 0; i < 2; ++i) {
      step.run("step");
      of_steps.push_back(result_values(step.layers().front().plan(Pass::wgrad).gemm, *backend));
    }
    return of_steps;
  };
  const auto nearest = gradients(false);
  EXPECT_EQ(nearest[0], nearest[1]);
  const auto stochastic = gradients(true);
  EXPECT_NE(stochastic[0], stochastic[1]);
}

// Other recipes ignore the options of NVFP4.
TEST(RecipeOptions, DoNotChangeOtherRecipes) {
  for (const Recipe recipe : kRecipes) {
    if (recipe == Recipe::nvfp4) continue;
    const auto backend = make_cpu_backend();
    TrainingStep step({kSmallProblem}, recipe, *backend, 1, {false, false, false});
    step.run("step");
    for (const Pass pass : kPasses) {
      EXPECT_EQ(result_values(step.layers().front().plan(pass).gemm, *backend),
                layer_result(kSmallProblem, recipe, pass))
          << to_string(recipe);
    }
  }
}

}  // namespace
}  // namespace mansard::kernels
