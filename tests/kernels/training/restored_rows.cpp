// SPDX-License-Identifier: Apache-2.0
// Row files of training runs: which rows they have, and what they restore.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "tests/kernels/distributed/run_ranks.h"
#include "tests/kernels/training/measured_run.h"
#include "tests/kernels/training/tensor_file.h"

namespace mansard::kernels {
namespace {

namespace fs = std::filesystem;

// Tokens whose frequencies fall as 1 / rank, in a token file of GPT-2.
class TrainingWithRows : public NumericsOfTraining {
 protected:
  static constexpr double kShare = 0.125;
  // The arrays have 256 rows: a multiple of 128.
  static constexpr std::int64_t kVocabulary = 250;
  static constexpr std::size_t kSavedRows = 32;  // 31.25

  TrainingWithRows() { write_tokens(kVocabulary); }

  void write_tokens(std::int64_t vocabulary) const {
    std::vector<double> weights;
    for (std::int64_t i = 0; i < vocabulary; ++i) {
      weights.push_back(1.0 / static_cast<double>(1 + i * 101 % vocabulary));
    }
    std::mt19937 random(1);
    std::discrete_distribution<int> distribution(weights.begin(), weights.end());
    constexpr std::int32_t kTokens = 20000;
    std::vector<std::int32_t> header(256);
    header[0] = 20240520, header[1] = 1, header[2] = kTokens;
    std::vector<std::uint16_t> tokens(kTokens);
    for (std::uint16_t& token : tokens) token = static_cast<std::uint16_t>(distribution(random));
    std::ofstream out(tokens_, std::ios::binary);
    out.write(reinterpret_cast<const char*>(header.data()), 4 * 256);
    out.write(reinterpret_cast<const char*>(tokens.data()), 2 * kTokens);
  }

  static TrainingOptions small_options(Architecture architecture = Architecture::llama) {
    TrainingOptions o = options(Recipe::bf16);
    o.model.architecture = architecture;
    o.model.positions = 32;
    o.model.vocabulary = kVocabulary;
    o.schedule.steps = 100;
    o.transformer.micro_batches = 2;
    return o;
  }

  struct Run {
    Run(const fs::path& tokens, const TrainingOptions& options, const TrainerRank& rank = {})
        : data(TokenData::open(tokens)),
          sequences(data, options.transformer.sequence, 1, TokenSequences::Validation::every_50th),
          trainer(options, sequences, *backend, rank) {}

    void train_to(std::int64_t steps) {
      while (trainer.steps_done() < steps) trainer.step();
    }
    // FP32 values of the embedding.
    std::vector<float> embedding() const {
      const Parameter& p = trainer.transformer().parameters().embedding();
      const float* const first = trainer.master_weights() + p.offset;
      return {first, first + p.shape.elements()};
    }

    TokenData data;
    TokenSequences sequences;
    std::unique_ptr<Backend> backend = make_cpu_backend();
    Trainer trainer;
  };
  Run make_run(const TrainingOptions& options) const { return {tokens_, options}; }

  // The rows that steps [first, end) have read most.
  static std::vector<std::int32_t> most_read(const Run& run, std::int64_t first, std::int64_t end) {
    const std::int64_t length = run.sequences.length();
    const std::int64_t per_step = run.trainer.tokens_per_step() / length;
    std::vector<std::int32_t> inputs(static_cast<std::size_t>(length)), targets = inputs;
    std::vector<int> counts(kVocabulary);
    for (std::int64_t s = first * per_step; s < end * per_step; ++s) {
      run.sequences.read(TokenSequences::Split::training, s, inputs.data(), targets.data());
      for (const std::int32_t token : inputs) ++counts[static_cast<std::size_t>(token)];
    }
    std::vector<std::int32_t> rows(kVocabulary);
    std::iota(rows.begin(), rows.end(), 0);
    std::stable_sort(rows.begin(), rows.end(), [&](std::int32_t a, std::int32_t b) {
      return counts[static_cast<std::size_t>(a)] > counts[static_cast<std::size_t>(b)];
    });
    rows.resize(kSavedRows);
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  fs::path tokens_ = scratch_ / "tokens.bin";
  fs::path folder_ = scratch_.folder();
};

TEST_F(TrainingWithRows, CountsTheStepsSinceTheLastFullCheckpoint) {
  Run run = make_run(small_options());
  run.trainer.track_rows({RowPriority::mfu, kShare});
  run.train_to(3);
  run.trainer.save_rows(row_file(folder_, 3));
  EXPECT_EQ(rows_of(row_file(folder_, 3)), most_read(run, 0, 3));
  run.train_to(5);
  run.trainer.save(checkpoint_file(folder_, 5));
  run.train_to(7);
  run.trainer.save_rows(row_file(folder_, 7));
  EXPECT_EQ(rows_of(row_file(folder_, 7)), most_read(run, 5, 7));
  run.trainer.load(checkpoint_file(folder_, 5));
  run.train_to(6);
  run.trainer.save_rows(row_file(folder_, 6));
  EXPECT_EQ(rows_of(row_file(folder_, 6)), most_read(run, 5, 6));
}

// The rows of the file and nothing else change, bit by bit.
TEST_F(TrainingWithRows, LoadsRowsBitByBit) {
  for (const Architecture architecture : {Architecture::llama, Architecture::gpt2}) {
    const TrainingOptions o = small_options(architecture);
    Run source = make_run(o), target = make_run(o);
    source.trainer.track_rows({RowPriority::mfu, kShare});
    source.train_to(4);
    const fs::path file = scratch_ / "rows", saved = scratch_ / "saved";
    source.trainer.save_rows(file);
    source.trainer.save(saved);
    target.train_to(2);
    const fs::path before_file = scratch_ / "before", after_file = scratch_ / "after";
    target.trainer.save(before_file);
    EXPECT_EQ(target.trainer.load_rows(file), 4);
    EXPECT_EQ(target.trainer.steps_done(), 2);
    target.trainer.save(after_file);

    const std::vector<std::int32_t> rows = rows_of(file);
    ASSERT_EQ(rows.size(), kSavedRows);
    const Parameter& p = target.trainer.transformer().parameters().embedding();
    auto expected = tensors_of(before_file), newer = tensors_of(saved);
    for (const char* prefix : {"", "optimizer.first_moment.", "optimizer.second_moment."}) {
      std::string& table = expected.at(prefix + p.name);
      const std::string unchanged = table;
      for (const std::int32_t row : rows) {
        const auto bytes = static_cast<std::size_t>(4 * p.shape.cols);
        const std::size_t at = static_cast<std::size_t>(row) * bytes;
        table.replace(at, bytes, newer.at(prefix + p.name), at, bytes);
      }
      EXPECT_NE(table, unchanged);
    }
    EXPECT_TRUE(tensors_of(after_file) == expected);
    const std::int64_t count = target.trainer.transformer().parameters().size();
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(target.trainer.transformer().weights()[i],
                bf16::from_float(target.trainer.master_weights()[i]))
          << i;
    }
    target.train_to(3);
  }
}

TEST_F(TrainingWithRows, FilesOfEqualRunsAreEqual) {
  for (const RowPriority priority : {RowPriority::mfu, RowPriority::ssu, RowPriority::scar}) {
    std::vector<std::string> contents;
    for (int i = 0; i < 2; ++i) {
      Run run = make_run(small_options());
      run.trainer.track_rows({priority, kShare});
      run.train_to(4);
      run.trainer.save_rows(row_file(folder_, 4));
      contents.push_back(content_of(row_file(folder_, 4)));
    }
    EXPECT_TRUE(contents[0] == contents[1]) << to_string(priority);
    EXPECT_EQ(rows_of(row_file(folder_, 4)).size(), kSavedRows);
  }
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(double{a[i]} - double{b[i]}, 2);
  return std::sqrt(squares);
}

// A checkpoint every 16 steps, a row file every 2, and a failure before the second checkpoint; 128
// tokens per step. The distance that AdamW moves a row depends little on the number of accesses, so
// accesses only help if a row file has room for most of the rows that are accessed between two
// files: about 131 of 1024, in files of 128. Of 256 rows, about 96 are accessed and 32 saved, and
// random rows are as good.
class RestoredRows : public TrainingWithRows, public testing::WithParamInterface<std::int64_t> {
 protected:
  static constexpr std::int64_t kInterval = 16;
  static constexpr std::int64_t kEvery = 2;
  static constexpr std::int64_t kFailure = 2 * kInterval - 1;

  struct Distances {
    double checkpoint = 0, random_rows = 0, rows = 0;  // from the lost embedding
  };

  // The embedding after loading random rows, as many as in row files.
  struct RandomRows {
    RandomRows(std::vector<float> checkpoint, std::int64_t rows, unsigned seed)
        : embedding(std::move(checkpoint)), order(static_cast<std::size_t>(rows)), random(seed) {
      std::iota(order.begin(), order.end(), 0);
    }
    void save(const std::vector<float>& now) {
      std::shuffle(order.begin(), order.end(), random);
      const std::size_t cols = now.size() / order.size();
      for (std::size_t i = 0; i < order.size() / 8; ++i) {
        const auto at = static_cast<std::ptrdiff_t>(order[i] * cols);
        std::copy_n(now.begin() + at, cols, embedding.begin() + at);
      }
    }
    std::vector<float> embedding;
    std::vector<std::size_t> order;
    std::mt19937 random;
  };

  Distances distances_with(RowPriority priority) {
    TrainingOptions o = small_options();
    o.model.vocabulary = GetParam();
    Run run = make_run(o);
    run.trainer.track_rows({priority, kShare});
    run.train_to(kInterval);
    run.trainer.save(checkpoint_file(folder_, kInterval));
    const std::vector<float> checkpoint = run.embedding();
    std::vector<RandomRows> random;
    for (unsigned seed = 0; seed < 5; ++seed) random.emplace_back(checkpoint, GetParam(), seed);
    for (std::int64_t step = kInterval + kEvery; step <= kFailure; step += kEvery) {
      run.train_to(step);
      run.trainer.save_rows(row_file(folder_, step));
      for (RandomRows& r : random) r.save(run.embedding());
    }
    run.train_to(kFailure);
    const std::vector<float> lost = run.embedding();

    Run restored = make_run(o);
    const RestoredState state = restored.trainer.restore(folder_);
    EXPECT_EQ(state.checkpoint, checkpoint_file(folder_, kInterval));
    EXPECT_EQ(state.step, kInterval);
    EXPECT_EQ(state.rows_step, kFailure - 1);
    EXPECT_TRUE(state.skipped.empty());
    EXPECT_EQ(restored.trainer.steps_done(), kInterval);
    Distances d{distance(checkpoint, lost), distance(random[0].embedding, lost),
                distance(restored.embedding(), lost)};
    for (const RandomRows& r : random) {
      d.random_rows = std::min(d.random_rows, distance(r.embedding, lost));
    }
    restored.train_to(kInterval + 2);
    return d;
  }
};

TEST_P(RestoredRows, AreCloserToTheLostState) {
  write_tokens(GetParam());
  for (const RowPriority priority : {RowPriority::mfu, RowPriority::ssu, RowPriority::scar}) {
    const std::string name(to_string(priority));
    const Distances d = distances_with(priority);
    RecordProperty(name, std::to_string(d.rows / d.checkpoint));
    RecordProperty("random_rows", std::to_string(d.random_rows / d.checkpoint));
    EXPECT_LT(d.rows, 0.8 * d.checkpoint) << name;
    if (GetParam() == 1024) {
      EXPECT_LT(d.rows, 0.97 * d.random_rows) << name;
    }
    if (priority == RowPriority::scar) {
      EXPECT_LT(d.rows, 0.75 * d.random_rows);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Vocabulary, RestoredRows, testing::Values(256, 1024),
                         testing::PrintToStringParamName());

TEST_F(TrainingWithRows, RestoreSkipsDamagedRowFiles) {
  Run run = make_run(small_options());
  run.trainer.track_rows({RowPriority::mfu, kShare});
  run.trainer.save_rows(row_file(folder_, 0));
  {
    Run empty = make_run(small_options());
    EXPECT_TRUE(empty.trainer.restore(folder_).checkpoint.empty());
    EXPECT_TRUE(empty.embedding() == run.embedding());
  }
  run.train_to(1);
  run.trainer.save_rows(row_file(folder_, 1));
  run.train_to(2);
  run.trainer.save(checkpoint_file(folder_, 2));
  run.train_to(3);
  run.trainer.save_rows(row_file(folder_, 3));
  // Another share, and the state that this file and the one before lead to.
  run.trainer.track_rows({RowPriority::scar, 0.3});
  run.train_to(4);
  run.trainer.save_rows(row_file(folder_, 4));
  Run older = make_run(small_options());
  older.trainer.load(checkpoint_file(folder_, 2));
  older.trainer.load_rows(row_file(folder_, 3));

  const std::string good = content_of(row_file(folder_, 4));
  std::string damaged = good;
  damaged[good.size() - 50] ^= 1;
  for (const std::string& content : {damaged, good.substr(0, good.size() / 2), std::string()}) {
    write_content(row_file(folder_, 4), content);
    Run restored = make_run(small_options());
    const RestoredState state = restored.trainer.restore(folder_);
    EXPECT_EQ(state.step, 2);
    EXPECT_EQ(state.rows_step, 3);
    ASSERT_EQ(state.skipped.size(), 1u);
    EXPECT_NE(state.skipped[0].find("rows-00000004.safetensors"), std::string::npos);
    EXPECT_TRUE(restored.embedding() == older.embedding());
  }
  write_content(row_file(folder_, 4), good);
  older.trainer.load_rows(row_file(folder_, 4));
  Run restored = make_run(small_options());
  EXPECT_EQ(restored.trainer.restore(folder_).rows_step, 4);
  EXPECT_TRUE(restored.embedding() == older.embedding());

  TrainingOptions other = small_options();
  other.seed = 9;
  Run foreign = make_run(other);
  foreign.train_to(4);
  foreign.trainer.track_rows({RowPriority::mfu, kShare});
  foreign.trainer.save_rows(row_file(folder_, 5));
  EXPECT_THROW(restored.trainer.restore(folder_), std::runtime_error);
}

TEST_F(TrainingWithRows, RanksThatExchangeGradients) {
  const fs::path file = row_file(folder_, 2);
  TrainingOptions o = small_options();
  o.optimizer.bucket_bytes = 4096;
  for (const bool sharded : {false, true}) {
    o.optimizer.sharded = sharded;
    run_ranks(2, [&](ProcessGroup& group) {
      const std::unique_ptr<Collectives> collectives = make_host_collectives(group);
      Run run(tokens_, o, {group.rank(), 2, collectives.get()});
      if (sharded) {
        EXPECT_THROW(run.trainer.track_rows({}), std::invalid_argument);
        EXPECT_THROW(run.trainer.load_rows(file), std::runtime_error);
        return;
      }
      run.trainer.track_rows({});
      run.train_to(2);
      // Rank 1 writes nothing, wherever it should.
      run.trainer.save_rows(group.rank() == 0 ? file : scratch_ / "of rank 1");
      group.barrier();
      EXPECT_FALSE(fs::exists(scratch_ / "of rank 1"));
      run.train_to(3);
      run.trainer.load_rows(file);
      const double loss = run.trainer.step().loss;
      EXPECT_DOUBLE_EQ(group.sum(loss), 2 * loss);
    });
  }
}

}  // namespace
}  // namespace mansard::kernels
