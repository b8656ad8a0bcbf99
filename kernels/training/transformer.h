// SPDX-License-Identifier: Apache-2.0
// A decoder-only transformer for training: activations, forward and backward.
//
// Each block adds the results of its parts (attention, feed-forward) to the residual stream:
//
//   z = z + part(norm(z))      with part = out(attention(rope(in(x)))) or out(activation(in(x)))
//
// A model is a list of such parts, so that blocks without attention or without a feed-forward part
// need no special case. `in` and `out` are linear layers, each executed with a recipe.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/recipes/linear_layer.h"
#include "kernels/training/batch.h"
#include "kernels/training/operations.h"
#include "kernels/training/parameters.h"

namespace mansard::kernels {

// The recipes of linear layers in one phase of training. The LM head is always in BF16.
struct RecipePlan {
  Recipe recipe = Recipe::bf16;
  // Parts of the first and last blocks stay in BF16.
  std::int64_t bf16_first_blocks = 0, bf16_last_blocks = 0;
  RecipeOptions options = {};
  Recipe of_block(std::int64_t block, std::int64_t blocks) const {
    const bool kept = block < bf16_first_blocks || block >= blocks - bf16_last_blocks;
    return kept ? Recipe::bf16 : recipe;
  }
};

struct TransformerOptions {
  std::int64_t batch = 1;     // sequences per micro-batch
  std::int64_t sequence = 0;  // tokens per sequence
  int micro_batches = 1;      // per step: the gradient is that of their mean loss
  // Data-parallel ranks, whose gradients are summed: the gradient is this rank's share of that of
  // the mean loss over all.
  int ranks = 1;
  // Phases that set_phase() switches between.
  std::vector<RecipePlan> phases = std::vector<RecipePlan>(1);
  // Keeps only the residual stream (and quantized operands) for backward, and computes the other
  // activations of a part again.
  bool recompute = false;
  // The operation that writes a tensor finds its amax, if a recipe reads it. Otherwise the recipe
  // reads the tensor once more; results are the same.
  bool fuse_amax = true;
  // Logits exist for this many tokens at a time; 0: as many as fit in 2 GiB.
  std::int64_t loss_rows = 0;
  std::uint64_t seed = 1;  // of stochastic rounding
  bool numerics = false;   // reserves memory for set_measuring()
};

// Values that a step writes. The first two are summed over the ranks.
struct StepResult {
  float loss_sum = 0;        // over all tokens of the step
  float stop_requested = 0;  // written before the step: by how many ranks
  float squared_norm = 0;    // of the gradient
};

// Call order: constructor, Arena::allocate(), prepare(); then for each step forward() and
// backward() of each micro-batch.
class Transformer {
 public:
  // Reserves all memory in the arena. Throws std::invalid_argument if the model's or the batch's
  // sizes are impossible. Everything passed must outlive the transformer.
  Transformer(const TransformerModel& model, const TransformerOptions& options, Backend& backend,
              Operations& operations, Arena& arena);

  // Prepares the GEMMs and writes the constants; sets all gradients to 0.
  void prepare();

  void set_phase(std::size_t phase) { phase_ = phase; }

  // While it is set, each pass of the first micro-batch is followed by a comparison of its GEMM's
  // operands with their sources, which changes no result. Needs TransformerOptions::numerics.
  void set_measuring(bool measuring);
  // The operands that were measured since then, in the order of the layers; the LM head, which is
  // always in BF16, is not measured. The step is left to the caller. Call before set_phase().
  std::vector<TensorNumerics> numerics() const;

  // Computes the losses of micro-batch `m`; for training also the gradient of the logits and the
  // first part of backward. The batch is in device_batch(m).
  enum class Mode { train, evaluate };
  void forward(int m, Mode mode = Mode::train);
  // `final_from`, if any, is called when the gradients of all matrices from an element on are
  // those of this micro-batch and the ones before. The rest is final at the end.
  void backward(int m, const std::function<void(std::int64_t first)>& final_from = nullptr);

  const Parameters& parameters() const { return parameters_; }
  const BatchLayout& batch_layout() const { return layout_; }
  std::int32_t* device_batch(int m) const {
    return batches_.after(m * layout_.bytes()).as<std::int32_t>();
  }
  float* losses() const { return losses_.as<float>(); }  // of all micro-batches
  std::int64_t tokens_per_step() const { return layout_.rows() * options_.micro_batches; }
  float* gradient() const { return gradient_.as<float>(); }
  Bf16* weights() const { return weights_.as<Bf16>(); }
  // State of the recipes, with names that are unique.
  std::vector<StateTensor> state() const;
  // Counters of the representations that the recipes of the current phase choose (MoR).
  std::vector<RepresentationCounts> choices() const;
  const TransformerModel& model() const { return model_; }

 private:
  // A linear layer in the recipe of each phase.
  using Phases = std::vector<LinearLayer>;
  using ReservedPhases = std::vector<ReservedLayer>;

  struct Part {
    const PartParameters* parameters = nullptr;
    std::string range;  // "layers.3.attention"
    Buffer z;           // input: the residual stream
    Buffer mean, inverse;
    Buffer normed, in, hidden;  // inputs of `in`; its outputs; inputs of `out`
    Buffer stats;               // attention only
    // For recipes of `in` and `out`, where an operation that writes the tensor finds it.
    Buffer x_in_amax, dy_in_amax, x_out_amax, dy_out_amax;
    ReservedPhases reserved_in, reserved_out;
    Phases linear_in, linear_out;
    Buffer sums_in, sums_out;  // LinearLayer::kSumsBytes each
    bool is_attention() const { return parameters->ffn == 0; }
  };

  void require_possible() const;
  void reserve_part(Part& part, std::size_t index, Arena& arena);
  void reserve_head(Arena& arena);
  ReservedPhases reserve_linear(const std::string& name, std::int64_t block,
                                const LinearProblem& sizes, const LayerTensors& tensors,
                                Arena& arena);

  void reserve_measurement(Arena& arena);
  std::vector<mor::Counts> read_counts() const;
  void run(const Phases& linear, Pass pass, MicroBatch which) const {
    linear[phase_].run(pass, which);
    if (measuring_ && which == MicroBatch::first) linear[phase_].measure(pass);
  }

  Bf16* weights_of(const Parameter& p) const { return weights() + p.offset; }
  float* gradient_of(const Parameter& p) const { return gradient() + p.offset; }
  // Where an operation puts the amax of a tensor for a layer; null if the layer does not read it.
  float* amax_for(const Phases& layer, const Buffer& amax) const {
    return layer[phase_].reads_amax() ? amax.as<float>() : nullptr;
  }
  static MicroBatch which(int m) { return m == 0 ? MicroBatch::first : MicroBatch::later; }

  void clear_amax();
  void run_branch(const Part& part, MicroBatch which, bool with_output);
  void part_backward(std::size_t index, MicroBatch which);
  float* amax_of_d_z(std::size_t index) const;
  void bias_forward(const Parameter& bias, std::int64_t cols, const Buffer& x);
  void bias_backward(const Parameter& bias, std::int64_t cols, const Buffer& d_out,
                     MicroBatch which, float* amax = nullptr);
  void norm_backward(const Parameter& gain, const Parameter& bias, const Buffer& z,
                     const Buffer& mean, const Buffer& inverse, const Buffer* residual, float* amax,
                     MicroBatch which);
  void head(int m, Mode mode);

  TransformerModel model_;
  TransformerOptions options_;
  Backend* backend_;
  Operations* run_;
  Parameters parameters_;
  BatchLayout layout_;
  AttentionShape attention_;
  std::size_t phase_ = 0;

  Buffer weights_, gradient_, batches_, losses_, rope_;
  Buffer delta_;  // result of the last part
  Buffer z_final_, normed_final_, mean_final_, inverse_final_;
  Buffer logits_;                            // and their gradient
  Buffer d_z_, d_normed_, d_in_, d_hidden_;  // gradients, shared by all parts
  Buffer workspace_, partials_, attention_scratch_;
  Buffer amax_;  // of all parts
  std::vector<Part> parts_;
  std::int64_t loss_rows_ = 0;
  ReservedPhases reserved_head_;  // one layer per piece of rows
  Phases head_;

  bool measuring_ = false;
  MeasurementScratch measurement_scratch_;
  std::vector<mor::Counts> counts_before_;  // those of choices() when measuring began
};

}  // namespace mansard::kernels
