// SPDX-License-Identifier: Apache-2.0
// `mansard train`: options, and the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mansard::cli {

struct TrainOptions {
  std::string data, validation_data;
  std::string model = "llama";
  // Sizes of --model llama.
  std::int64_t layers = 4, hidden = 256, heads = 4, kv_heads = 0, head_size = 0, ffn = 0;
  std::string blocks;
  std::int64_t vocabulary = 0;
  std::string recipe = "bf16", then;
  std::int64_t bf16_first = 0, bf16_last = 0;
  bool no_hadamard = false, no_stochastic_rounding = false, weights_1d = false;
  bool separate_amax = false;
  double mor_threshold = 0.05;
  std::int64_t batch = 8, sequence = 256, steps = 100;
  int micro_batches = 1;
  double learning_rate = 6e-4, final_fraction = 0.1, decay_fraction = 0.2, weight_decay = 0.1;
  double beta1 = 0.9, beta2 = 0.95, clip = 1;
  std::int64_t warmup = 10;
  std::string schedule = "cosine";
  int ranks = 1;
  std::string rendezvous;
  bool shard_optimizer = false, no_overlap = false;
  std::optional<double> bucket_mib;  // default: that of the transport
  std::string transport = "auto";    // or a Transport
  std::string sync = "gradients";    // or a SyncAlgorithm
  bool foreground_sync = false;
  std::int64_t sync_every = 10;
  double elasticity = 0.5, block_momentum = 0.5;
  std::optional<double> block_rate;   // default: 1 - block_momentum
  std::string recovery = "none";      // or full, partial
  std::string recover_from = "mean";  // or checkpoint
  int max_restarts = 3;
  std::string save_rows = "none";  // or a RowPriority
  double row_share = 0.125;
  std::vector<std::string> kills;  // RANK@STEP
  double kill_every_s = 0;
  std::optional<double> mtbf_hours;  // of a rank
  double max_lost_samples = 0.01;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> rounding_seed;  // default: seed
  bool recompute = false, eager = false, deterministic = false, no_cudnn = false;
  std::int64_t validate_every = 0, validation_sequences = 64;
  std::string checkpoints, log, record;
  std::int64_t numerics_every = 0;
  std::int64_t checkpoint_every = 0;
  int keep = 2;
  bool resume = false, force = false;
  double time_limit_s = 0;
  std::string device = "auto", machine, format = "table";
};

int train_model(const TrainOptions& options);

}  // namespace mansard::cli
