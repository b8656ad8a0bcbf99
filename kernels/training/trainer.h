// SPDX-License-Identifier: Apache-2.0
// The training loop: data, forward, backward, optimizer, validation and checkpoints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/mor/representation.h"
#include "kernels/training/adamw_optimizer.h"
#include "kernels/training/row_priority.h"
#include "kernels/training/schedule.h"
#include "kernels/training/token_sequences.h"
#include "kernels/training/transformer.h"

namespace mansard::kernels {

// A recipe plan and the step from which it applies.
struct RecipePhase {
  std::int64_t first_step = 0;
  RecipePlan plan;
};

struct TrainingOptions {
  TransformerModel model;
  TransformerOptions transformer;  // its phases are replaced by these:
  std::vector<RecipePhase> phases = std::vector<RecipePhase>(1);  // by first step, the first one 0
  Schedule schedule;
  OptimizerOptions optimizer;
  std::uint64_t seed = 1;  // of the initial weights
  bool graph = false;      // replays a step as a CUDA graph
  // Steps between measurements of the operands of GEMMs; 0: none. Steps 0, N, 2N, ... and the last
  // of the schedule are measured, which runs them without the graph and changes no result.
  std::int64_t numerics_every = 0;
  OperationOptions operations;
};

struct StepReport {
  std::int64_t step = 0;  // 0 is the first
  double loss = 0;        // mean over the tokens, of all ranks if they exchange gradients, in nats
  double gradient_norm = 0;
  double learning_rate = 0;
  double time_s = 0;  // from the upload of the batch to the results
  bool stop = false;  // a rank has called request_stop() before the step
};

// The place of a trainer among data-parallel ranks.
struct TrainerRank {
  int rank = 0;
  int ranks = 1;
  // Exchanges the gradients, so that all ranks have the same weights; null: each rank trains a
  // replica of its own (see ReplicaSync).
  Collectives* gradients = nullptr;
};

// The files that Trainer::restore() has loaded.
struct RestoredState {
  std::filesystem::path checkpoint;  // empty: there is none, and nothing has been loaded
  std::int64_t step = 0;             // of the checkpoint
  std::int64_t rows_step = 0;  // of the newest rows; without newer rows that of the checkpoint
  std::vector<std::string> skipped;  // damaged row files, with the reason
};

class Trainer {
 public:
  // `sequences` gives the batches; its length must be that of the options. Ranks that exchange
  // gradients must be given the same options and call step(), validate(), save() and load()
  // together. Everything passed must outlive the trainer. Throws
  // std::invalid_argument for impossible sizes and std::runtime_error if memory is insufficient.
  Trainer(const TrainingOptions& options, const TokenSequences& sequences, Backend& backend,
          const TrainerRank& rank = {});

  // Runs the next step. Throws std::runtime_error if the loss or the gradient is not finite, and
  // LostRank if a rank has ended.
  StepReport step();
  // The report of the next step will say so on all ranks.
  void request_stop() { stop_ = true; }

  // Mean loss over the first sequences of a validation split, whole micro-batches only, at most
  // `most` sequences; std::nullopt if there are too few for one micro-batch. Changes no state.
  std::optional<double> validate(const TokenSequences& sequences, std::int64_t most);

  // How well the operands of the last step's GEMMs represented their sources; empty: it was not
  // measured.
  const std::vector<TensorNumerics>& numerics() const { return numerics_; }

  // Representations that MoR has chosen in steps since the last call; all 0 for other recipes.
  mor::Counts take_choices();

  // Tokens of a step on all ranks.
  std::int64_t tokens_per_step() const {
    return transformer_->tokens_per_step() * std::int64_t{rank_.ranks};
  }
  std::int64_t steps_done() const { return step_; }
  // Leaves out the steps before `step`, which other ranks did without this one.
  void skip_to(std::int64_t step);
  const TrainingOptions& options() const { return options_; }
  const Transformer& transformer() const { return *transformer_; }
  std::int64_t memory_bytes() const { return arena_.bytes(); }
  Operations& operations() const { return *operations_; }
  // The FP32 weights of all parameters; not for a sharded optimizer.
  float* master_weights() const { return optimizer_->master(); }
  std::string attention_name() const { return operations_->attention_name(); }

  // Replaces `file` atomically, on rank 0. The number of ranks may differ when it is loaded; the
  // state of the recipes is that of rank 0. The state is complete: a trainer that loads it
  // continues with the bits that this one would compute, if the operations are deterministic.
  void save(const std::filesystem::path& file);
  // Throws std::runtime_error that names the file if it is damaged, or was written for another
  // model, other data or another recipe.
  void load(const std::filesystem::path& file);

  // From now on, counts accesses of the embedding's rows, so that save_rows() knows the important
  // ones. save() and load() save or load all rows, so they start anew. Ranks that exchange
  // gradients have equal rows; rank 0 counts the accesses of its own batches. Throws
  // std::invalid_argument if the share is impossible or the optimizer is sharded.
  void track_rows(const RowPriorityOptions& options);
  // Writes FP32 weights and moments of these rows. Replaces `file` atomically, on rank 0. Call it
  // between two steps, after track_rows().
  void save_rows(const std::filesystem::path& file);
  // Replaces the rows that the file has, and leaves everything else as it is, also the number of
  // steps done. Returns the step of the file. Needs no track_rows(). Throws as read_rows() does,
  // and std::runtime_error if the optimizer is sharded.
  std::int64_t load_rows(const std::filesystem::path& file);
  // Loads the newest checkpoint of a folder and the rows that are newer, so that steps_done() is
  // that of the checkpoint. Skips row files that are damaged; throws as load() and load_rows() do
  // for everything else.
  RestoredState restore(const std::filesystem::path& folder);

 private:
  mor::Counts read_choices();
  void prepare_batch();
  void upload_batch();
  void enqueue_step();
  std::size_t phase_of(std::int64_t step) const;
  bool is_measured(std::int64_t step) const;
  // Ranks whose results are summed.
  int summed_ranks() const { return rank_.gradients == nullptr ? 1 : rank_.ranks; }
  bool writes_files() const { return rank_.gradients == nullptr || rank_.rank == 0; }
  std::int64_t sequences_per_rank() const;
  void count_accesses();
  std::vector<CheckpointTensor> embedding_tensors() const;
  std::vector<CheckpointTensor> checkpoint_tensors();
  CheckpointInfo checkpoint_info() const;

  TrainingOptions options_;
  const TokenSequences* sequences_;
  Backend* backend_;
  TrainerRank rank_;
  std::uint64_t data_fingerprint_;
  std::unique_ptr<Operations> operations_;
  Arena arena_;
  std::unique_ptr<Transformer> transformer_;
  std::unique_ptr<AdamWOptimizer> optimizer_;
  Buffer result_;

  std::int64_t step_ = 0;
  std::int64_t position_ = 0;        // sequences that steps have read
  std::vector<std::int32_t> batch_;  // of the next step
  bool batch_is_ready_ = false;
  bool stop_ = false;
  std::size_t phase_ = 0;
  bool phase_has_run_ = false;
  std::function<void()> replay_;  // of phase_; empty: not recorded
  mor::Counts choices_;           // read from the device, but not taken yet
  std::vector<TensorNumerics> numerics_;
  std::unique_ptr<RowSelection> rows_;  // null: not tracked
};

}  // namespace mansard::kernels
