// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/transformer.h"

#include <cmath>
#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "support/hash.h"
#include "tests/kernels/training/reference_transformer.h"

namespace mansard::kernels {
namespace {

TransformerModel tiny_llama() {
  return {"tiny", 32, 4, 2, 40, {{1, true, 48}, {1, false, 64}, {1, false, 0}, {1, true, 0}}, 16};
}
TransformerModel tiny_gpt2() {
  return {"tiny-gpt2", 32, 2, 2, 40, {{2, true, 64}}, 16, Architecture::gpt2, 24};
}

// A transformer on the CPU with initial weights, some of them enlarged so that every part of the
// model has a gradient that is not close to 0.
struct TinyRun {
  TinyRun(const TransformerModel& model, const TransformerOptions& options)
      : backend(make_cpu_backend()),
        operations(make_operations(*backend)),
        micro_batches(options.micro_batches),
        transformer(model, options, *backend, *operations, arena) {
    arena.allocate(*backend);
    // Results must not depend on memory that nothing has written: 0xff is a NaN.
    std::memset(transformer.weights(), 0xff, static_cast<std::size_t>(arena.bytes()));
    transformer.prepare();
    std::vector<float> initial(static_cast<std::size_t>(transformer.parameters().size()));
    transformer.parameters().initialize(7, initial.data());
    for (std::size_t i = 0; i < initial.size(); ++i) {
      const float value = initial[i] == 0 || initial[i] == 1 ? initial[i] : 8 * initial[i];
      transformer.weights()[i] = bf16::from_float(value);
      weights.push_back(double{bf16::to_float(transformer.weights()[i])});
    }
    const BatchLayout& layout = transformer.batch_layout();
    for (int m = 0; m < options.micro_batches; ++m) {
      std::int32_t* batch = transformer.device_batch(m);
      for (std::int64_t i = 0; i < layout.rows(); ++i) {
        const auto token = [&](std::int64_t at) {
          return static_cast<std::int32_t>(splitmix64(static_cast<std::uint64_t>(at)) % 40);
        };
        tokens.push_back(layout.tokens(batch)[i] = token(m * layout.rows() + i));
        targets.push_back(layout.targets(batch)[i] = token(m * layout.rows() + i + 1));
      }
      layout.group_tokens(batch);
    }
    step(0);
  }

  void step(std::size_t phase) {
    transformer.set_phase(phase);
    for (int m = 0; m < micro_batches; ++m) {
      transformer.forward(m);
      transformer.backward(m);
    }
  }

  double loss() const {
    double sum = 0;
    for (std::int64_t i = 0; i < transformer.tokens_per_step(); ++i) {
      sum += double{transformer.losses()[i]};
    }
    return sum / static_cast<double>(transformer.tokens_per_step());
  }
  std::vector<float> gradient() const {
    return {transformer.gradient(), transformer.gradient() + transformer.parameters().size()};
  }

  std::unique_ptr<Backend> backend;
  std::unique_ptr<Operations> operations;
  int micro_batches;
  Arena arena;
  Transformer transformer;
  std::vector<double> weights;
  std::vector<std::int32_t> tokens, targets;
};

TransformerOptions options(std::int64_t batch, std::int64_t sequence, int micro_batches = 1) {
  TransformerOptions o;
  o.batch = batch;
  o.sequence = sequence;
  o.micro_batches = micro_batches;
  return o;
}

// Relative error of sampled elements of a parameter's gradient, in the Euclidean norm.
double gradient_error(const TinyRun& run, const Parameter& p, std::int64_t sequence) {
  constexpr int kSamples = 24;
  constexpr double kStep = 1e-5;
  double error = 0;
  double size = 0;
  std::vector<double> values = run.weights;
  for (int s = 0; s < kSamples; ++s) {
    const auto i = static_cast<std::size_t>(
        p.offset + static_cast<std::int64_t>(splitmix64(static_cast<std::uint64_t>(s)) %
                                             static_cast<std::uint64_t>(p.shape.elements())));
    const auto loss_at = [&](double value) {
      values[i] = value;
      return reference_loss(run.transformer.model(), run.transformer.parameters(), values, sequence,
                            run.tokens, run.targets);
    };
    const double expected =
        (loss_at(run.weights[i] + kStep) - loss_at(run.weights[i] - kStep)) / (2 * kStep);
    values[i] = run.weights[i];
    error += std::pow(expected - double{run.transformer.gradient()[i]}, 2);
    size += expected * expected;
  }
  return std::sqrt(error / size);
}

// BF16 keeps 8 bits, and each gradient passes about ten roundings.
void expect_gradients_of_fp64(const TransformerModel& model) {
  const TinyRun run(model, options(2, 16));
  EXPECT_NEAR(
      run.loss(),
      reference_loss(model, run.transformer.parameters(), run.weights, 16, run.tokens, run.targets),
      0.01);
  for (const Parameter& p : run.transformer.parameters().all()) {
    EXPECT_LT(gradient_error(run, p, 16), 0.03) << p.name;
  }
}

TEST(Transformer, GradientsOfLlamaMatchFp64) { expect_gradients_of_fp64(tiny_llama()); }
TEST(Transformer, GradientsOfGpt2MatchFp64) { expect_gradients_of_fp64(tiny_gpt2()); }

// Euclidean norm of the difference, relative to that of `a`.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
  double squares = 0;
  double error = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    squares += std::pow(double{a[i]}, 2);
    error += std::pow(double{a[i]} - double{b[i]}, 2);
  }
  return std::sqrt(error / squares);
}

TEST(Transformer, MicroBatchesAddUp) {
  for (const TransformerModel& model : {tiny_llama(), tiny_gpt2()}) {
    const TinyRun whole(model, options(4, 16)), parts(model, options(2, 16, 2));
    EXPECT_NEAR(whole.loss(), parts.loss(), 1e-6);
    EXPECT_LT(difference(whole.gradient(), parts.gradient()), 0.01);
  }
}

TEST(Transformer, PiecesOfTheLossAddUp) {
  TransformerOptions pieces = options(4, 16);
  pieces.loss_rows = 16;
  const TinyRun whole(tiny_gpt2(), options(4, 16)), parts(tiny_gpt2(), pieces);
  EXPECT_EQ(whole.loss(), parts.loss());
  EXPECT_LT(difference(whole.gradient(), parts.gradient()), 1e-3);
}

TEST(Transformer, RecomputationChangesNothing) {
  for (const Recipe recipe : kRecipes) {
    for (const TransformerModel& model : {tiny_llama(), tiny_gpt2()}) {
      TransformerOptions o = options(2, 16, 2);
      o.phases = {{recipe}};
      const TinyRun kept(model, o);
      o.recompute = true;
      const TinyRun recomputed(model, o);
      EXPECT_EQ(kept.loss(), recomputed.loss()) << to_string(recipe);
      EXPECT_EQ(kept.gradient(), recomputed.gradient()) << to_string(recipe);
      EXPECT_LT(recomputed.arena.bytes(), kept.arena.bytes());
    }
  }
}

TEST(Transformer, AmaxOfOperationsIsThatOfASeparatePass) {
  const RecipeOptions plain{.hadamard = false};
  // The parts that read an amax differ between phases and blocks.
  const std::vector<std::vector<RecipePlan>> cases = {{{Recipe::fp8}},
                                                      {{Recipe::fp8, 1, 1}},
                                                      {{Recipe::nvfp4, 0, 0, plain}},
                                                      {{Recipe::mor_tensor}},
                                                      {{Recipe::bf16}, {Recipe::fp8}}};
  for (const TransformerModel& model : {tiny_llama(), tiny_gpt2()}) {
    for (const std::vector<RecipePlan>& phases : cases) {
      for (const bool recompute : {false, true}) {
        TransformerOptions o = options(2, 16, 2);
        o.phases = phases;
        o.recompute = recompute;
        TinyRun fused(model, o);
        o.fuse_amax = false;
        TinyRun separate(model, o);
        for (std::size_t phase = 0; phase < phases.size(); ++phase) {
          fused.step(phase);
          separate.step(phase);
          EXPECT_EQ(fused.loss(), separate.loss()) << to_string(phases[phase].recipe);
          EXPECT_EQ(fused.gradient(), separate.gradient()) << to_string(phases[phase].recipe);
        }
      }
    }
  }
}

// Quantization is noise on the gradient, whose size depends on the format.
TEST(Transformer, RecipesApproximateBf16) {
  const TinyRun bf16(tiny_llama(), options(4, 32));
  for (const auto& [recipe, error] :
       {std::pair(Recipe::fp8, 0.25), std::pair(Recipe::fp8_block, 0.25),
        std::pair(Recipe::mxfp8, 0.25), std::pair(Recipe::nvfp4, 0.6)}) {
    TransformerOptions o = options(4, 32);
    o.phases = {{recipe}};
    const TinyRun run(tiny_llama(), o);
    EXPECT_NEAR(run.loss(), bf16.loss(), 0.1) << to_string(recipe);
    const double noise = difference(bf16.gradient(), run.gradient());
    EXPECT_LT(noise, error) << to_string(recipe);
    EXPECT_GT(noise, error / 30) << to_string(recipe) << " does not quantize";
  }
}

TEST(Transformer, BlocksStayInBf16) {
  TransformerOptions o = options(4, 32);
  o.phases = {{Recipe::nvfp4, 1, 3}};
  const TinyRun kept(tiny_llama(), o);
  EXPECT_EQ(difference(TinyRun(tiny_llama(), options(4, 32)).gradient(), kept.gradient()), 0);
}

void expect_refusal(const TransformerModel& model, const TransformerOptions& o, const char* word) {
  try {
    const TinyRun run(model, o);
    ADD_FAILURE() << "accepted, expected an error about: " << word;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
  }
}

TEST(Transformer, RefusesImpossibleSizes) {
  expect_refusal(tiny_gpt2(), options(1, 32), "positions end at 24");
  expect_refusal(tiny_llama(), options(1, 17), "multiple of 16");
  TransformerModel model = tiny_llama();
  model.kv_heads = 3;
  expect_refusal(model, options(1, 16), "multiple of the number of KV heads (3)");
  model = tiny_llama();
  model.blocks = {{1, true, 44}};
  expect_refusal(model, options(1, 16), "multiple of 16");
}

}  // namespace
}  // namespace mansard::kernels
