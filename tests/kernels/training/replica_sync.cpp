// SPDX-License-Identifier: Apache-2.0
// Synchronization of replicas: threads as ranks, each with a CPU backend.
#include "kernels/training/replica_sync.h"

#include <cmath>
#include <thread>

#include <gtest/gtest.h>

#include "kernels/training/trainer.h"
#include "tests/kernels/distributed/run_ranks.h"
#include "tests/kernels/training/measured_run.h"

namespace mansard::kernels {
namespace {

constexpr std::int64_t kWeights = 256;

// A rank with a second group for the synchronization, and weights that are `rank + 1` everywhere.
struct Replica {
  Replica(ProcessGroup& control, ProcessGroup& own_exchange, const ReplicaSyncOptions& options)
      : group(control),
        exchange(own_exchange),
        uses_center(options.algorithm == SyncAlgorithm::easgd),
        master(static_cast<std::size_t>(kWeights), static_cast<float>(control.rank() + 1)),
        rounded(master.size()),
        sync(options, group, exchange, *backend, *operations, [] { return make_cpu_backend(); },
             {kWeights, master.data(), rounded.data()}) {}

  ProcessGroup& group;
  ProcessGroup& exchange;
  bool uses_center;
  std::unique_ptr<Backend> backend = make_cpu_backend();
  std::unique_ptr<Operations> operations = make_operations(*backend);
  std::vector<float> master;
  std::vector<Bf16> rounded;
  ReplicaSync sync;
};

// As run_ranks(), with two groups per rank.
void run_with_two_groups(int ranks, const std::function<void(ProcessGroup&, ProcessGroup&)>& body) {
  const Rendezvous second = free_rendezvous();
  run_ranks(ranks, [&](ProcessGroup& group) {
    ProcessGroup exchange(group.rank(), ranks, second, "exchange", std::chrono::seconds(20));
    body(group, exchange);
    exchange.leave();
  });
}

void run_replicas(int ranks, const ReplicaSyncOptions& options,
                  const std::function<void(Replica&)>& body) {
  run_with_two_groups(ranks, [&](ProcessGroup& group, ProcessGroup& exchange) {
    Replica replica(group, exchange, options);
    body(replica);
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
    r.sync.start();
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
    r.sync.start();
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
    r.sync.start();  // the center is that of rank 0: 1
    if (r.group.rank() == 1) {
      r.sync.between_steps(2);  // 2 and the center at 1
      EXPECT_FLOAT_EQ(r.master[0], 1.75f);
      // The center is at 1.25 now.
      r.sync.between_steps(4);
      EXPECT_FLOAT_EQ(r.master[0], 1.75f - 0.25f * 0.5f);
    } else {
      r.group.sum(0);
      r.group.sum(0);
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
    r.sync.start();
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
    ASSERT_EQ(reports.size(), 11u) << "as many as are due, and the last";
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
      r.sync.start();
      const std::int64_t steps = 4 + 6 * r.group.rank();
      for (std::int64_t step = 1; step <= steps; ++step) r.sync.between_steps(step);
      r.sync.finish(steps);
      // Those that the slowest rank would make, or the fastest, and the last.
      const std::size_t count = r.sync.take_reports().size();
      if (r.uses_center) {
        EXPECT_GE(count, 2u);
      } else {
        EXPECT_EQ(count, 9u);
      }
    });
  }
}

TEST(ReplicaSync, AllReplicasStopTogetherInTheForeground) {
  run_replicas(2, foreground(SyncAlgorithm::average), [](Replica& r) {
    r.sync.start();
    const bool wants = r.group.rank() == 1;
    EXPECT_FALSE(r.sync.between_steps(1, wants)) << "not at a synchronization";
    EXPECT_TRUE(r.sync.between_steps(2, wants));
    r.sync.finish(2);
  });
}

TEST(ReplicaSync, ReportsALostRank) {
  const Rendezvous second = free_rendezvous();
  const auto errors = errors_of_ranks(2, [&](ProcessGroup& group) {
    ProcessGroup exchange(group.rank(), 2, second, "exchange", std::chrono::seconds(20));
    ReplicaSyncOptions o = foreground(SyncAlgorithm::average);
    o.background = true;
    Replica r(group, exchange, o);
    r.sync.start();
    if (group.rank() == 1) throw std::runtime_error("dies");
    for (std::int64_t step = 1; step < 100000; ++step) {
      r.sync.between_steps(step);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  ASSERT_TRUE(errors[0]);
  EXPECT_THROW(std::rethrow_exception(errors[0]), LostRank);
}

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
    EXPECT_THROW(Replica(group, group, o), std::invalid_argument);
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
    float weight = 64;
    for (int i = 0; i < 4; ++i) {
      std::vector<float> x(static_cast<std::size_t>(kCount), weight);
      center.exchange(x.data(), 0, kCount, 0.5f);
      weight += 0.5f * (x[7] - weight);
    }
    const double replicas = group.sum(weight);
    std::vector<float> x(static_cast<std::size_t>(kCount));
    group.barrier();
    if (group.rank() == 0) {
      center.exchange(x.data(), 0, kCount, 0.5f);
      EXPECT_NEAR(replicas + double{x[7]}, 3 * 64, 1e-3);
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
    run_with_two_groups(2, [&](ProcessGroup& group, ProcessGroup& exchange) {
      const std::unique_ptr<Backend> backend = make_cpu_backend();
      const std::unique_ptr<Collectives> collectives =
          sync_options ? nullptr : make_host_collectives(group);
      Trainer trainer(o, sequences, *backend, {group.rank(), group.size(), collectives.get()});
      std::unique_ptr<ReplicaSync> sync;
      if (sync_options) {
        const Transformer& t = trainer.transformer();
        sync = std::make_unique<ReplicaSync>(
            *sync_options, group, exchange, *backend, trainer.operations(),
            [] { return make_cpu_backend(); },
            ReplicaWeights{t.parameters().size(), trainer.master_weights(), t.weights()});
        sync->start();
      }
      while (trainer.steps_done() < kSteps) {
        trainer.step();
        if (sync) sync->between_steps(trainer.steps_done());
      }
      if (sync) sync->finish(kSteps);
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
