// SPDX-License-Identifier: Apache-2.0
// Training with several ranks: threads, each with a CPU backend.
#include <cmath>
#include <mutex>

#include <gtest/gtest.h>

#include "kernels/distributed/collectives.h"
#include "tests/kernels/distributed/run_ranks.h"
#include "tests/kernels/training/measured_run.h"

namespace mansard::kernels {
namespace {

class DataParallel : public NumericsOfTraining {
 protected:
  struct RankResult {
    std::vector<StepReport> reports;
    std::vector<Bf16> weights;
    std::optional<double> validation;
    std::int64_t memory_bytes = 0;
  };
  using Prepare = std::function<void(Trainer&)>;

  RankResult train(const TrainingOptions& o, Collectives* collectives, std::int64_t steps,
                   const Prepare& before, const Prepare& after) const {
    const TokenData data = TokenData::open(scratch_ / "text");
    const TokenSequences sequences(data, o.transformer.sequence, 1,
                                   TokenSequences::Validation::every_50th);
    const std::unique_ptr<Backend> backend = make_cpu_backend();
    const TrainerRank rank =
        collectives == nullptr ? TrainerRank{}
                               : TrainerRank{collectives->rank(), collectives->size(), collectives};
    Trainer trainer(o, sequences, *backend, rank);
    if (before) before(trainer);
    RankResult result;
    while (trainer.steps_done() < steps) {
      result.reports.push_back(trainer.step());
      if (result.reports.back().stop) break;
    }
    result.validation = trainer.validate(sequences, 8);
    const std::int64_t count = trainer.transformer().parameters().count();
    result.weights.resize(static_cast<std::size_t>(count));
    backend->read(result.weights.data(), trainer.transformer().weights(), 2 * count);
    result.memory_bytes = trainer.memory_bytes();
    if (after) after(trainer);
    return result;
  }

  RankResult train_alone(TrainingOptions o, std::int64_t steps = kNumericsSteps,
                         const Prepare& before = nullptr, const Prepare& after = nullptr) const {
    return train(o, nullptr, steps, before, after);
  }

  std::vector<RankResult> train_ranks(int ranks, const TrainingOptions& o,
                                      std::int64_t steps = kNumericsSteps,
                                      const Prepare& before = nullptr,
                                      const Prepare& after = nullptr) const {
    std::vector<RankResult> results(static_cast<std::size_t>(ranks));
    run_ranks(ranks, [&](ProcessGroup& group) {
      const std::unique_ptr<Collectives> collectives = make_host_collectives(group);
      results[static_cast<std::size_t>(group.rank())] =
          train(o, collectives.get(), steps, before, after);
    });
    return results;
  }

  // Sums of gradients in another order differ in their last bits.
  static void expect_close(const RankResult& a, const RankResult& b, double allowed = 1e-5) {
    ASSERT_EQ(a.reports.size(), b.reports.size());
    for (std::size_t i = 0; i < a.reports.size(); ++i) {
      EXPECT_NEAR(a.reports[i].loss, b.reports[i].loss, allowed * a.reports[i].loss) << i;
      EXPECT_NEAR(a.reports[i].gradient_norm, b.reports[i].gradient_norm,
                  100 * allowed * a.reports[i].gradient_norm)
          << i;
    }
    ASSERT_TRUE(a.validation && b.validation);
    EXPECT_NEAR(*a.validation, *b.validation, allowed * *a.validation);
  }
  static void expect_same(const RankResult& a, const RankResult& b) {
    ASSERT_EQ(a.reports.size(), b.reports.size());
    for (std::size_t i = 0; i < a.reports.size(); ++i) {
      EXPECT_EQ(a.reports[i].loss, b.reports[i].loss) << i;
      EXPECT_EQ(a.reports[i].gradient_norm, b.reports[i].gradient_norm) << i;
    }
    EXPECT_TRUE(a.weights == b.weights);
    EXPECT_EQ(a.validation, b.validation);
  }

  static TrainingOptions small_buckets(Recipe recipe) {
    TrainingOptions o = options(recipe);
    o.optimizer.bucket_bytes = 4096;  // several per step
    return o;
  }
};

TEST(GradientBuckets, CoverTheArrayInTheOrderOfBackward) {
  TransformerModel llama{"llama", 32, 2, 2, 256, {{3, true, 64}, {2, false, 48}}, 16};
  TransformerModel gpt2 = llama;
  gpt2.architecture = Architecture::gpt2;
  gpt2.positions = 64;
  for (const TransformerModel& model : {llama, gpt2}) {
    for (const int ranks : {1, 2, 3, 8}) {
      for (const std::int64_t elements :
           {std::int64_t{1}, std::int64_t{5000}, std::int64_t{1} << 40}) {
        const Parameters parameters(model, ranks);
        const std::vector<ParameterSpan> buckets = gradient_buckets(parameters, ranks, elements);
        // All but the last are consecutive, from the end to the start of the matrices.
        std::int64_t end = buckets.back().first;
        for (std::size_t i = 0; i + 1 < buckets.size(); ++i) {
          EXPECT_EQ(buckets[i].first + buckets[i].count, end);
          EXPECT_EQ(buckets[i].count % (Parameters::kGranule * ranks), 0);
          end = buckets[i].first;
        }
        EXPECT_EQ(end, 0);
        EXPECT_LE(buckets.back().first, parameters.decayed());
        EXPECT_EQ(buckets.back().first + buckets.back().count, parameters.size());
        EXPECT_EQ(buckets.back().count % (Parameters::kGranule * ranks), 0);
        if (elements == 1) {
          EXPECT_GT(buckets.size(), 6u);
        } else if (elements > parameters.size()) {
          EXPECT_EQ(buckets.size(), 2u);
        }
      }
    }
  }
}

class DataParallelRecipes : public DataParallel, public testing::WithParamInterface<Recipe> {};

TEST_P(DataParallelRecipes, TrainAsOneRankWithMoreMicroBatches) {
  TrainingOptions o = small_buckets(GetParam());
  o.transformer.micro_batches = 4;
  const RankResult alone = train_alone(o);
  o.transformer.micro_batches = 2;
  const std::vector<RankResult> ranks = train_ranks(2, o);
  // Scales and rounding errors of quantized recipes depend on what a rank has seen.
  expect_close(alone, ranks[0], GetParam() == Recipe::bf16 ? 1e-5 : 2e-3);
  expect_same(ranks[0], ranks[1]);
}

INSTANTIATE_TEST_SUITE_P(All, DataParallelRecipes,
                         testing::Values(Recipe::bf16, Recipe::fp8, Recipe::fp8_delayed,
                                         Recipe::nvfp4),
                         [](const auto& i) { return std::string(to_string(i.param)); });

TEST_F(DataParallel, OverlapAndBucketsChangeNothing) {
  TrainingOptions o = small_buckets(Recipe::bf16);
  const std::vector<RankResult> small = train_ranks(3, o);
  o.optimizer.overlap = false;
  expect_same(small[0], train_ranks(3, o)[2]);
  o.optimizer.bucket_bytes = 1 << 30;
  expect_same(small[1], train_ranks(3, o)[0]);
}

TEST_F(DataParallel, ShardedOptimizerTrainsAlikeWithLessMemory) {
  TrainingOptions o = small_buckets(Recipe::bf16);
  const std::vector<RankResult> whole = train_ranks(3, o);
  o.optimizer.sharded = true;
  const std::vector<RankResult> sharded = train_ranks(3, o);
  expect_close(whole[0], sharded[0]);
  for (const RankResult& rank : sharded) expect_same(sharded[0], rank);
  // Two thirds of 12 bytes per parameter.
  const auto saved = static_cast<double>(whole[0].memory_bytes - sharded[0].memory_bytes);
  EXPECT_NEAR(saved, 8.0 * static_cast<double>(whole[0].weights.size()), 0.05 * saved);
}

TEST_F(DataParallel, CheckpointsContinueWithAnyNumberOfRanks) {
  TrainingOptions o = small_buckets(Recipe::bf16);
  o.optimizer.sharded = true;
  const std::filesystem::path file = scratch_ / "sharded.safetensors";
  train_ranks(2, o, 3, nullptr, [&](Trainer& t) { t.save(file); });
  const std::vector<RankResult> uninterrupted = train_ranks(2, o);
  const auto load = [&](Trainer& t) { t.load(file); };
  const std::vector<RankResult> resumed = train_ranks(2, o, kNumericsSteps, load);
  ASSERT_EQ(resumed[0].reports.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(resumed[1].reports[i].loss, uninterrupted[0].reports[i + 3].loss) << i;
  }
  EXPECT_TRUE(resumed[0].weights == uninterrupted[1].weights);

  // One rank reads the same batches, with a whole optimizer.
  TrainingOptions alone = o;
  alone.transformer.micro_batches = 2;
  expect_close(resumed[0], train_alone(alone, kNumericsSteps, load));
  // Four ranks with half the batch each; the file of one rank.
  const std::filesystem::path whole = scratch_ / "whole.safetensors";
  train_alone(alone, 3, nullptr, [&](Trainer& t) { t.save(whole); });
  TrainingOptions four = o;
  four.transformer.batch = 1;
  expect_close(resumed[0],
               train_ranks(4, four, kNumericsSteps, [&](Trainer& t) { t.load(whole); })[3]);
}

TEST_F(DataParallel, StopsAllRanksAfterTheSameStep) {
  std::mutex mutex;
  int created = 0;
  const std::vector<RankResult> ranks =
      train_ranks(3, options(Recipe::bf16), kNumericsSteps, [&](Trainer& t) {
        const std::scoped_lock lock(mutex);
        if (created++ == 1) t.request_stop();
      });
  for (const RankResult& rank : ranks) {
    ASSERT_EQ(rank.reports.size(), 1u);
    EXPECT_TRUE(rank.reports[0].stop);
  }
}

TEST_F(DataParallel, ReportsALostRank) {
  const TokenData data = TokenData::open(scratch_ / "text");
  const TrainingOptions o = options(Recipe::bf16);
  const TokenSequences sequences(data, o.transformer.sequence, 1,
                                 TokenSequences::Validation::every_50th);
  const auto errors = errors_of_ranks(3, [&](ProcessGroup& group) {
    const std::unique_ptr<Collectives> collectives = make_host_collectives(group);
    const std::unique_ptr<Backend> backend = make_cpu_backend();
    Trainer trainer(o, sequences, *backend, {group.rank(), group.size(), collectives.get()});
    while (trainer.steps_done() < kNumericsSteps) {
      if (group.rank() == 1 && trainer.steps_done() == 2) throw std::runtime_error("dies");
      trainer.step();
    }
  });
  for (const std::size_t rank : {0u, 2u}) {
    ASSERT_TRUE(errors[rank]);
    try {
      std::rethrow_exception(errors[rank]);
    } catch (const LostRank& loss) {
      EXPECT_EQ(loss.rank(), 1);
    }
  }
}

}  // namespace
}  // namespace mansard::kernels
