// SPDX-License-Identifier: Apache-2.0
// Synchronization of replicas: threads as ranks, each with a CPU backend.
#include "kernels/training/replica_sync.h"

#include <array>
#include <atomic>
#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "kernels/training/trainer.h"
#include "tests/kernels/distributed/run_ranks.h"
#include "tests/kernels/training/measured_run.h"

namespace mansard::kernels {
namespace {

constexpr std::int64_t kWeights = 256;

// A rank with weights that are `rank + 1` everywhere. `group` is for the checks of the test.
struct Replica {
  Replica(ProcessGroup& of_test, std::unique_ptr<ProcessGroup> own,
          const ReplicaSyncOptions& options, ReplicaSync::Reconnect reconnect = nullptr)
      : group(of_test),
        uses_center(options.algorithm == SyncAlgorithm::easgd),
        master(static_cast<std::size_t>(kWeights), static_cast<float>(own->rank() + 1)),
        rounded(master.size()),
        sync(options, std::move(own), std::move(reconnect), *backend, *operations,
             [] { return make_cpu_backend(); }, {kWeights, master.data(), rounded.data()}) {}

  ProcessGroup& group;
  bool uses_center;
  std::unique_ptr<Backend> backend = make_cpu_backend();
  std::unique_ptr<Operations> operations = make_operations(*backend);
  std::vector<float> master;
  std::vector<Bf16> rounded;
  ReplicaSync sync;
};

std::unique_ptr<ProcessGroup> connect(int rank, int ranks, const Rendezvous& place) {
  return std::make_unique<ProcessGroup>(rank, ranks, place, "replicas", std::chrono::seconds(20));
}

// As run_ranks(), with a second group for the replicas.
void run_with_two_groups(
    int ranks, const std::function<void(ProcessGroup&, std::unique_ptr<ProcessGroup>)>& body) {
  const Rendezvous second = free_rendezvous();
  run_ranks(ranks, [&](ProcessGroup& group) { body(group, connect(group.rank(), ranks, second)); });
}

void run_replicas(int ranks, const ReplicaSyncOptions& options,
                  const std::function<void(Replica&)>& body) {
  run_with_two_groups(ranks, [&](ProcessGroup& group, std::unique_ptr<ProcessGroup> own) {
    Replica replica(group, std::move(own), options);
    body(replica);
    replica.sync.leave(0);
  });
}

ReplicaSyncOptions foreground(SyncAlgorithm algorithm) {
  ReplicaSyncOptions o;
  o.algorithm = algorithm;
  o.background = false;
  o.every = 2;
  o.elasticity = 0.25f;
  return o;
}

TEST(ReplicaSync, AverageMovesEachReplicaTowardsTheMean) {
  run_replicas(3, foreground(SyncAlgorithm::average), [](Replica& r) {
    r.sync.start(0);
    const float own = static_cast<float>(r.group.rank() + 1);
    r.sync.between_steps(1);
    EXPECT_EQ(r.master[0], own) << "not due";
    r.sync.between_steps(2);
    // The mean of 1, 2 and 3.
    EXPECT_FLOAT_EQ(r.master[0], own + 0.25f * (2 - own));
    EXPECT_EQ(r.master.back(), r.master.front());
    EXPECT_EQ(r.rounded[7], bf16::from_float(r.master[7]));
    r.sync.finish(2);
    EXPECT_FLOAT_EQ(r.master[0], 2) << "all replicas end as their mean";
    const std::vector<SyncReport> reports = r.sync.take_reports();
    ASSERT_EQ(reports.size(), 2u);
    EXPECT_EQ(reports[0].copied_after, 2);
    EXPECT_EQ(reports[0].staleness(), 0);
  });
}

TEST(ReplicaSync, BmufHasMomentum) {
  ReplicaSyncOptions o = foreground(SyncAlgorithm::bmuf);
  o.elasticity = 1;
  o.block_momentum = 0.5f;
  run_replicas(2, o, [](Replica& r) {
    std::fill(r.master.begin(), r.master.end(), 0.0f);
    r.sync.start(0);
    float global = 0, velocity = 0;
    for (std::int64_t round = 1; round <= 3; ++round) {
      // Both replicas move, one twice as far.
      for (float& w : r.master) w += static_cast<float>(r.group.rank() + 1);
      const float mean = global + 1.5f;
      velocity = 0.5f * velocity + (mean - global);
      global += velocity;
      r.sync.between_steps(2 * round);
      EXPECT_FLOAT_EQ(r.master[3], global) << round;
    }
  });
}

TEST(ReplicaSync, EasgdMovesCenterAndReplicaTowardsEachOther) {
  run_replicas(2, foreground(SyncAlgorithm::easgd), [](Replica& r) {
    r.sync.start(0);  // the center is that of rank 0: 1
    if (r.group.rank() == 1) {
      r.sync.between_steps(2);  // 2 and the center at 1
      EXPECT_FLOAT_EQ(r.master[0], 1.75f);
      // The center is at 1.25 now.
      r.sync.between_steps(4);
      EXPECT_FLOAT_EQ(r.master[0], 1.75f - 0.25f * 0.5f);
    }
    r.group.barrier();
    r.sync.finish(r.group.rank() == 1 ? 4 : 0);
    const float mean = (1 + 1.625f) / 2;
    EXPECT_NEAR(r.master[0], mean, 0.2) << "rank 0 has caught up with the center first";
    float both[2] = {};
    both[r.group.rank()] = r.master[0];
    r.group.all_gather(both, sizeof(float));
    EXPECT_EQ(both[0], both[1]);
  });
}

// A slow synchronization does not stop the steps, and its staleness is recorded.
TEST(ReplicaSync, BackgroundDoesNotWait) {
  ReplicaSyncOptions o = foreground(SyncAlgorithm::average);
  o.background = true;
  o.every = 1;
  run_replicas(2, o, [](Replica& r) {
    r.sync.start(0);
    if (r.group.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const auto start = std::chrono::steady_clock::now();
    for (std::int64_t step = 1; step <= 10; ++step) {
      r.sync.between_steps(step);
      if (r.group.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const auto waited = std::chrono::steady_clock::now() - start;
    EXPECT_LT(waited, std::chrono::milliseconds(150)) << "rank 0 waits for rank 1, which sleeps";
    r.sync.finish(10);
    const std::vector<SyncReport> reports = r.sync.take_reports();
    // Rank 0 has finished its steps when the first one completes; rank 1 has not.
    ASSERT_GE(reports.size(), 2u);
    EXPECT_LE(reports.size(), 11u) << "as many as are due, and the last";
    if (r.group.rank() == 0) {
      EXPECT_EQ(reports.front().copied_after, 1);
      EXPECT_GE(reports.front().staleness(), 8);
    }
    EXPECT_FLOAT_EQ(r.master[0], 1.5f);
  });
}

TEST(ReplicaSync, CompletesAfterUnequalNumbersOfSteps) {
  for (const SyncAlgorithm algorithm :
       {SyncAlgorithm::easgd, SyncAlgorithm::average, SyncAlgorithm::bmuf}) {
    ReplicaSyncOptions o = foreground(algorithm);
    o.background = true;
    run_replicas(3, o, [](Replica& r) {
      r.sync.start(0);
      const std::int64_t steps = 4 + 6 * r.group.rank();
      for (std::int64_t step = 1; step <= steps; ++step) r.sync.between_steps(step);
      r.sync.finish(steps);
      const std::size_t count = r.sync.take_reports().size();
      EXPECT_GE(count, 2u);
      if (!r.uses_center) {
        double counts[3] = {};
        counts[r.group.rank()] = static_cast<double>(count);
        r.group.all_gather(counts, sizeof(double));
        EXPECT_EQ(counts[0], counts[2]) << "all take part in all of them";
        EXPECT_LE(count, 9u) << "8 are due for the fastest rank, and the last";
      }
    });
  }
}

TEST(ReplicaSync, AllReplicasStopTogetherInTheForeground) {
  run_replicas(2, foreground(SyncAlgorithm::average), [](Replica& r) {
    r.sync.start(0);
    const bool wants = r.group.rank() == 1;
    EXPECT_FALSE(r.sync.between_steps(1, wants)) << "not at a synchronization";
    EXPECT_TRUE(r.sync.between_steps(2, wants));
    r.sync.finish(2);
  });
}

TEST(ReplicaSync, ReplicasInTheBackgroundStopTogether) {
  ReplicaSyncOptions o = foreground(SyncAlgorithm::average);
  o.background = true;
  run_replicas(2, o, [](Replica& r) {
    r.sync.start(0);
    const bool wants = r.group.rank() == 1;
    std::int64_t step = 0;
    while (!r.sync.between_steps(++step, wants)) {
      ASSERT_LT(step, 20000) << "the other rank's wish is not known";
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    r.sync.finish(step);
  });
}

TEST(ReplicaSync, ReportsALostRank) {
  const Rendezvous second = free_rendezvous();
  const auto errors = errors_of_ranks(2, [&](ProcessGroup& group) {
    ReplicaSyncOptions o = foreground(SyncAlgorithm::average);
    o.background = true;
    Replica r(group, connect(group.rank(), 2, second), o);
    r.sync.start(0);
    if (group.rank() == 1) throw std::runtime_error("dies");
    for (std::int64_t step = 1; step < 100000; ++step) {
      r.sync.between_steps(step);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  ASSERT_TRUE(errors[0]);
  EXPECT_THROW(std::rethrow_exception(errors[0]), LostRank);
}

// ---- Partial recovery ----

struct RecoveryCase {
  SyncAlgorithm algorithm;
  int lost_rank;
  bool takes_mean;
};

class ReplicaRecovery : public ::testing::TestWithParam<RecoveryCase> {
 protected:
  static constexpr int kRanks = 3;
  static constexpr std::int64_t kLostAfter = 10;

  ReplicaSyncOptions options() const {
    ReplicaSyncOptions o = foreground(GetParam().algorithm);
    o.background = true;
    return o;
  }
  std::unique_ptr<ProcessGroup> connect_rank(int rank) const {
    return connect(rank, kRanks, place_);
  }
  // For a rank that was lost, while the others may have a group without it.
  std::unique_ptr<ProcessGroup> connect_returning(int rank) const {
    return reconnect(rank)(false, never_);
  }
  ReplicaSync::Reconnect reconnect(int rank) const {
    return [this, rank](bool others_may_be_absent, const std::atomic<bool>& canceled) {
      return ProcessGroup::connect_again(rank, kRanks, place_, "replicas", others_may_be_absent,
                                         canceled);
    };
  }

  Rendezvous place_ = free_rendezvous();
  std::atomic<bool> never_ = false;
};

// The other replicas go on without the lost one, which joins them at their step.
TEST_P(ReplicaRecovery, TheOthersGoOn) {
  ProcessGroup unused(0, 1, {"127.0.0.1", 1}, "");
  std::atomic<bool> is_lost = false, is_back = false;
  std::atomic<int> started = 0, alone_steps = 0;
  std::array<float, kRanks> results{};
  std::atomic<std::int64_t> joined_at = -1;
  std::vector<std::thread> threads;
  const auto train = [&](Replica& r, std::int64_t step) {
    const auto rank = static_cast<std::size_t>(r.master[0]) - 1;
    while (step < 1000 || !is_back) {
      r.sync.between_steps(++step);
      if (is_lost && r.sync.missing_rank()) {
        EXPECT_EQ(*r.sync.missing_rank(), GetParam().lost_rank);
        ++alone_steps;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    r.sync.finish(step);
    EXPECT_FALSE(r.sync.missing_rank());
    results[rank] = r.master[0];
    r.sync.leave(step);
  };
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      if (rank == GetParam().lost_rank) {
        {
          Replica r(unused, connect_rank(rank), options(), reconnect(rank));
          EXPECT_EQ(r.sync.start(0), 0);
          for (std::int64_t step = 1; step <= kLostAfter; ++step) r.sync.between_steps(step);
          // Those that lose it in start() would wait there until it is back.
          while (started < kRanks - 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }  // its connections close, as those of a killed process
        is_lost = true;
        while (alone_steps < 20) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        Replica r(unused, connect_returning(rank), options(), reconnect(rank));
        std::fill(r.master.begin(), r.master.end(), 100.0f);  // what it has loaded
        joined_at = r.sync.start(kLostAfter / 2, GetParam().takes_mean);
        is_back = true;
        if (GetParam().takes_mean) {
          EXPECT_LT(r.master[0], 4) << "the mean of the others";
        } else {
          EXPECT_EQ(r.master[0], 100);
        }
        r.master.assign(r.master.size(), static_cast<float>(rank + 1));
        train(r, joined_at);
      } else {
        Replica r(unused, connect_rank(rank), options(), reconnect(rank));
        r.sync.start(0);
        ++started;
        train(r, 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(joined_at, kLostAfter) << "it continues at the step of the others";
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  EXPECT_GT(results[0], 0.9f);
  EXPECT_LT(results[0], 3.1f) << "what the lost rank had loaded was replaced";
}

// The others meet at rank 0, which must not be the lost one.
class ReplicasThatRemain : public ReplicaRecovery {};

TEST_P(ReplicasThatRemain, AreSynchronizedMeanwhile) {
  ProcessGroup unused(0, 1, {"127.0.0.1", 1}, "");
  std::atomic<int> started = 0, drawn = 0;
  std::atomic<bool> is_lost = false, is_back = false;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads.emplace_back([&, rank] {
      auto r = std::make_unique<Replica>(unused, connect_rank(rank), options(), reconnect(rank));
      r->sync.start(0);
      ++started;
      while (started < kRanks) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::int64_t step = 0;
      if (rank == GetParam().lost_rank) {
        r.reset();
        is_lost = true;
        while (drawn < kRanks - 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        r = std::make_unique<Replica>(unused, connect_returning(rank), options(), reconnect(rank));
        step = r->sync.start(0, GetParam().takes_mean);
        is_back = true;
      }
      bool is_drawn = false;
      while (!is_back) {
        const auto own = static_cast<float>(rank + 1);
        r->master.assign(r->master.size(), own);
        r->sync.between_steps(++step);
        const bool moved = std::fabs(r->master[0] - own) > 0.05f;
        if (is_lost && r->sync.missing_rank() && moved && !is_drawn) {
          is_drawn = true;
          ++drawn;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
      r->sync.finish(step);
      EXPECT_FALSE(r->sync.missing_rank());
      r->sync.leave(step);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// "average_rank_2_mean"
constexpr auto kCaseName = [](const auto& tested) {
  const RecoveryCase& c = tested.param;
  return std::string(to_string(c.algorithm)) + "_rank_" + std::to_string(c.lost_rank) +
         (c.takes_mean ? "_mean" : "_own");
};

INSTANTIATE_TEST_SUITE_P(ReplicaSync, ReplicaRecovery,
                         ::testing::Values(RecoveryCase{SyncAlgorithm::easgd, 1, true},
                                           RecoveryCase{SyncAlgorithm::easgd, 0, false},
                                           RecoveryCase{SyncAlgorithm::average, 2, true},
                                           RecoveryCase{SyncAlgorithm::average, 0, true},
                                           RecoveryCase{SyncAlgorithm::bmuf, 1, false},
                                           RecoveryCase{SyncAlgorithm::bmuf, 0, true}),
                         kCaseName);
INSTANTIATE_TEST_SUITE_P(ReplicaSync, ReplicasThatRemain,
                         ::testing::Values(RecoveryCase{SyncAlgorithm::average, 2, true},
                                           RecoveryCase{SyncAlgorithm::average, 1, false},
                                           RecoveryCase{SyncAlgorithm::bmuf, 1, true}),
                         kCaseName);

TEST(ReplicaSync, RefusesImpossibleOptions) {
  for (const auto& change : std::vector<std::function<void(ReplicaSyncOptions&)>>{
           [](ReplicaSyncOptions& o) { o.every = 0; },
           [](ReplicaSyncOptions& o) { o.elasticity = 0; },
           [](ReplicaSyncOptions& o) { o.elasticity = 1.5f; },
           [](ReplicaSyncOptions& o) { o.elasticity = NAN; },
           [](ReplicaSyncOptions& o) { o.block_momentum = 1; }}) {
    ReplicaSyncOptions o;
    change(o);
    ProcessGroup group(0, 1, {"127.0.0.1", 1}, "");
    EXPECT_THROW(Replica(group, std::make_unique<ProcessGroup>(0, 1, Rendezvous{}, ""), o),
                 std::invalid_argument);
  }
}

TEST(SharedCenter, KeepsTheSumWhileRanksExchange) {
  constexpr std::int64_t kCount = 3 * SharedCenter::kPart + 5;
  run_ranks(3, [&](ProcessGroup& group) {
    SharedCenter center(group, kCount);
    std::vector<float> zeros(static_cast<std::size_t>(kCount));
    if (group.rank() == 0) center.set(zeros.data());
    group.barrier();
    // The center gains what a replica loses: powers of two, so that no sum is rounded.
    std::vector<float> replica(static_cast<std::size_t>(kCount), 64);
    for (int i = 0; i < 4; ++i) {
      std::int64_t seen = 0;
      center.for_each_part([&](float* values, std::int64_t first, std::int64_t count) {
        EXPECT_EQ(first, seen);
        seen += count;
        for (std::int64_t at = 0; at < count; ++at) {
          float& weight = replica[static_cast<std::size_t>(first + at)];
          const float moved = 0.5f * (weight - values[at]);
          values[at] += moved;
          weight -= moved;
        }
      });
      EXPECT_EQ(seen, kCount);
    }
    for (const std::size_t at : {std::size_t{7}, static_cast<std::size_t>(kCount) - 1}) {
      const double replicas = group.sum(replica[at]);
      EXPECT_NEAR(replicas + double{center.values()[at]}, 3 * 64, 1e-3);
    }
    group.barrier();
  });
}

// ---- Training ----

class ReplicaTraining : public NumericsOfTraining {
 protected:
  static constexpr std::int64_t kSteps = 120;

  static TrainingOptions training_options() {
    TrainingOptions o = options(Recipe::bf16);
    o.schedule.steps = kSteps;
    o.schedule.peak = 3e-3;
    o.schedule.warmup_steps = 5;
    return o;
  }

  // The validation loss after training with two ranks; null: with exchanged gradients.
  double loss_of(const std::optional<ReplicaSyncOptions>& sync_options) const {
    const TokenData data = TokenData::open(scratch_ / "text");
    const TrainingOptions o = training_options();
    const TokenSequences sequences(data, o.transformer.sequence, 1,
                                   TokenSequences::Validation::every_50th);
    std::vector<double> losses(2);
    run_with_two_groups(2, [&](ProcessGroup& group, std::unique_ptr<ProcessGroup> own) {
      const std::unique_ptr<Backend> backend = make_cpu_backend();
      const std::unique_ptr<Collectives> collectives =
          sync_options ? nullptr : make_host_collectives(group);
      Trainer trainer(o, sequences, *backend, {group.rank(), group.size(), collectives.get()});
      std::unique_ptr<ReplicaSync> sync;
      if (sync_options) {
        const Transformer& t = trainer.transformer();
        sync = std::make_unique<ReplicaSync>(
            *sync_options, std::move(own), nullptr, *backend, trainer.operations(),
            [] { return make_cpu_backend(); },
            ReplicaWeights{t.parameters().size(), trainer.master_weights(), t.weights()});
        sync->start(0);
      }
      while (trainer.steps_done() < kSteps) {
        trainer.step();
        if (sync) sync->between_steps(trainer.steps_done());
      }
      if (sync) {
        sync->finish(kSteps);
        sync->leave(kSteps);
      }
      losses[static_cast<std::size_t>(group.rank())] = *trainer.validate(sequences, 8);
    });
    EXPECT_DOUBLE_EQ(losses[0], losses[1]) << "all ranks end with the same weights";
    return losses[0];
  }
};

TEST_F(ReplicaTraining, EveryAlgorithmTrains) {
  const double synchronous = loss_of(std::nullopt);
  EXPECT_LT(synchronous, 3);
  for (const SyncAlgorithm algorithm :
       {SyncAlgorithm::easgd, SyncAlgorithm::average, SyncAlgorithm::bmuf}) {
    for (const bool background : {false, true}) {
      ReplicaSyncOptions o;
      o.algorithm = algorithm;
      o.background = background;
      o.every = 5;
      const double loss = loss_of(o);
      // The loss falls from 5.5; replicas that differ fall more slowly.
      EXPECT_LT(loss, synchronous + 1) << to_string(algorithm) << background;
    }
  }
}

}  // namespace
}  // namespace mansard::kernels
