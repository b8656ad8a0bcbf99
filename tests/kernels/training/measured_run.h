// SPDX-License-Identifier: Apache-2.0
// Short runs of the trainer, with and without measuring operands.
#pragma once

#include <cstring>
#include <fstream>
#include <memory>

#include <gtest/gtest.h>

#include "kernels/training/trainer.h"
#include "tests/support/scratch.h"

namespace mansard::kernels {

inline constexpr std::int64_t kNumericsSteps = 6;

struct MeasuredRun {
  std::vector<StepReport> reports;
  std::vector<Bf16> weights;
  mor::Counts choices;
  std::vector<std::vector<TensorNumerics>> numerics;  // by step
};

class NumericsOfTraining : public testing::Test {
 protected:
  NumericsOfTraining() {
    std::ofstream out(scratch_ / "text", std::ios::binary);
    for (int i = 0; i < 20000; ++i) out.put(static_cast<char>('a' + i * i % 23));
  }

  virtual std::unique_ptr<Backend> make_backend() const { return make_cpu_backend(); }

  static TrainingOptions options(Recipe recipe) {
    TrainingOptions o;
    o.model = {"tiny", 32, 2, 2, 256, {{1, true, 64}, {1, false, 48}}, 16};
    o.transformer.batch = 2;
    o.transformer.sequence = 32;
    o.phases[0].plan.recipe = recipe;
    o.schedule.steps = kNumericsSteps;
    o.schedule.peak = 1e-3;
    return o;
  }

  MeasuredRun run(const TrainingOptions& options) const {
    const TokenData data = TokenData::open(scratch_ / "text");
    const TokenSequences sequences(data, options.transformer.sequence, 1,
                                   TokenSequences::Validation::every_50th);
    const std::unique_ptr<Backend> backend = make_backend();
    Trainer trainer(options, sequences, *backend);
    MeasuredRun result;
    for (std::int64_t step = 0; step < kNumericsSteps; ++step) {
      result.reports.push_back(trainer.step());
      result.numerics.push_back(trainer.numerics());
      if (step == 2) trainer.validate(sequences, 4);
    }
    const std::int64_t count = trainer.transformer().parameters().size();
    result.weights.resize(static_cast<std::size_t>(count));
    backend->read(result.weights.data(), trainer.transformer().weights(), 2 * count);
    result.choices = trainer.take_choices();
    return result;
  }

  void expect_same_training(TrainingOptions o) const {
    const MeasuredRun plain = run(o);
    o.numerics_every = 2;
    const MeasuredRun measured = run(o);
    for (std::size_t i = 0; i < plain.reports.size(); ++i) {
      EXPECT_EQ(plain.reports[i].loss, measured.reports[i].loss) << i;
      EXPECT_EQ(plain.reports[i].gradient_norm, measured.reports[i].gradient_norm) << i;
      EXPECT_TRUE(plain.numerics[i].empty());
      EXPECT_EQ(measured.numerics[i].empty(), i % 2 == 1 && i + 1 != kNumericsSteps) << i;
    }
    EXPECT_TRUE(plain.weights == measured.weights);
    EXPECT_EQ(std::memcmp(&plain.choices, &measured.choices, sizeof plain.choices), 0);
  }

  test::Scratch scratch_;
};

}  // namespace mansard::kernels
