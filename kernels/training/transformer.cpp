// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/transformer.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support/hash.h"

namespace mansard::kernels {
namespace {

Norm norm_of(const TransformerModel& model) {
  return model.architecture == Architecture::llama ? Norm::rms : Norm::layer;
}

// Scalars of a part. Their alignment is that of all scalars that recipes read on a device.
constexpr std::int64_t kAmaxOfPart = 4;
constexpr std::int64_t kAmaxBytes = 16;

std::int64_t blocks_of(const TransformerModel& model) {
  std::int64_t sum = 0;
  for (const TransformerBlocks& run : model.blocks) sum += run.count;
  return sum;
}

}  // namespace

Transformer::Transformer(const TransformerModel& model, const TransformerOptions& options,
                         Backend& backend, Operations& operations, Arena& arena)
    : model_(model),
      options_(options),
      backend_(&backend),
      run_(&operations),
      parameters_(model, options.ranks),
      layout_(options.batch * options.sequence),
      attention_{options.batch, options.sequence, model.heads, model.kv_heads, model.head_size} {
  require_possible();
  run_->prepare_attention(attention_);
  const std::int64_t rows = layout_.rows();
  const auto bf16 = [&](std::int64_t cols) { return arena.reserve(2 * rows * cols); };

  weights_ = arena.reserve(2 * parameters_.size());
  gradient_ = arena.reserve(4 * parameters_.size());
  batches_ = arena.reserve(layout_.bytes() * options_.micro_batches);
  losses_ = arena.reserve(4 * tokens_per_step());
  rope_ = arena.reserve(4 * attention_.sequence * attention_.head_size);
  delta_ = bf16(model_.hidden);
  z_final_ = bf16(model_.hidden);
  normed_final_ = bf16(model_.hidden);
  if (norm_of(model_) == Norm::layer) mean_final_ = arena.reserve(4 * rows);
  inverse_final_ = arena.reserve(4 * rows);

  std::int64_t widest_in = 0;
  std::int64_t widest_hidden = 0;
  for (const PartParameters& p : parameters_.parts()) {
    const bool attention = p.ffn == 0;
    widest_in = std::max(widest_in, attention ? attention_.qkv_cols() : model_.ffn_inputs(p.ffn));
    widest_hidden = std::max(widest_hidden, attention ? attention_.out_cols() : p.ffn);
  }
  d_z_ = bf16(model_.hidden);
  d_normed_ = bf16(model_.hidden);
  d_in_ = bf16(widest_in);
  d_hidden_ = bf16(widest_hidden);
  workspace_ = arena.share(Scratch::gemm_workspace, backend.gemm_workspace_bytes());
  partials_ = arena.reserve(4 * NormBackward::kPartialRows *
                            std::max(2 * model_.hidden, std::max(widest_in, widest_hidden)));
  attention_scratch_ = arena.reserve(run_->attention_scratch_bytes(attention_));

  amax_ = arena.reserve(kAmaxBytes * kAmaxOfPart *
                        static_cast<std::int64_t>(parameters_.parts().size()));
  parts_.resize(parameters_.parts().size());
  for (std::size_t i = 0; i < parts_.size(); ++i) reserve_part(parts_[i], i, arena);
  reserve_head(arena);
  if (options_.numerics) reserve_measurement(arena);
}

void Transformer::require_possible() const {
  const auto fail = [&](const std::string& reason) {
    throw std::invalid_argument("cannot train '" + model_.name + "': " + reason);
  };
  if (options_.batch < 1 || options_.sequence < 1 || options_.micro_batches < 1) {
    fail("batch, sequence and micro-batches must be positive");
  }
  if (model_.vocabulary < 2) fail("the vocabulary needs at least 2 tokens");
  if (model_.heads < 1 || model_.kv_heads < 1 || model_.heads % model_.kv_heads != 0) {
    fail("the number of heads (" + std::to_string(model_.heads) +
         ") must be a multiple of the number of KV heads (" + std::to_string(model_.kv_heads) +
         ")");
  }
  if (model_.head_size % 2 != 0) fail("the head size must be even for rotary positions");
  if (model_.architecture == Architecture::gpt2 && options_.sequence > model_.positions) {
    fail("its learned positions end at " + std::to_string(model_.positions) +
         " tokens, and the sequence has " + std::to_string(options_.sequence));
  }
  if (options_.phases.empty()) fail("there is no recipe");
}

Transformer::ReservedPhases Transformer::reserve_linear(const std::string& name, std::int64_t block,
                                                        const LinearProblem& sizes,
                                                        const LayerTensors& tensors, Arena& arena) {
  ReservedPhases reserved;
  LinearProblem problem = sizes;
  problem.name = name;
  problem.tokens = layout_.rows();
  problem.seed = HashBuilder().add(options_.seed).add(tensors.seed).hash();
  for (const RecipePlan& plan : options_.phases) {
    const Recipe recipe = plan.of_block(block, blocks_of(model_));
    reserved.push_back(reserve_layer(problem, tensors, recipe, *backend_, arena, plan.options));
  }
  return reserved;
}

void Transformer::reserve_part(Part& part, std::size_t index, Arena& arena) {
  const PartParameters& p = parameters_.parts()[index];
  part.parameters = &p;
  part.range = "layers." + std::to_string(p.block) + (p.ffn == 0 ? ".attention" : ".mlp");
  const std::int64_t rows = layout_.rows();
  const std::int64_t in_cols =
      part.is_attention() ? attention_.qkv_cols() : model_.ffn_inputs(p.ffn);
  const std::int64_t hidden_cols = part.is_attention() ? attention_.out_cols() : p.ffn;

  const auto amax = [&](std::int64_t i) {
    const auto scalar = kAmaxOfPart * static_cast<std::int64_t>(index) + i;
    return options_.fuse_amax ? amax_.after(kAmaxBytes * scalar) : Buffer();
  };
  // With recomputation, all parts that have activations of the same size use the same memory.
  const auto same = std::find_if(parts_.begin(), parts_.begin() + static_cast<long>(index),
                                 [&](const Part& other) { return other.parameters->ffn == p.ffn; });
  if (options_.recompute && same != parts_.begin() + static_cast<long>(index)) {
    part.normed = same->normed;
    part.in = same->in;
    part.hidden = same->hidden;
    part.stats = same->stats;
  } else {
    part.normed = arena.reserve(2 * rows * model_.hidden);
    part.in = arena.reserve(2 * rows * in_cols);
    part.hidden = arena.reserve(2 * rows * hidden_cols);
    if (part.is_attention()) part.stats = arena.reserve(4 * rows * attention_.heads);
  }
  part.x_in_amax = amax(0), part.dy_in_amax = amax(1), part.dy_out_amax = amax(2);
  if (!part.is_attention() || run_->attention_finds_amax()) part.x_out_amax = amax(3);
  part.z = arena.reserve(2 * rows * model_.hidden);
  part.inverse = arena.reserve(4 * rows);
  if (norm_of(model_) == Norm::layer) part.mean = arena.reserve(4 * rows);

  const auto tensors = [&](const Parameter& weight, std::uint64_t seed) {
    LayerTensors t;
    t.w = weights_.after(2 * weight.offset);
    t.dw = gradient_.after(4 * weight.offset);
    t.seed = seed;
    return t;
  };
  LayerTensors in = tensors(p.in.front(), 2 * index);
  in.x = part.normed, in.y = part.in, in.dy = d_in_, in.dx = d_normed_;
  in.x_amax = part.x_in_amax, in.dy_amax = part.dy_in_amax;
  LayerTensors out = tensors(p.out, 2 * index + 1);
  out.x = part.hidden, out.y = delta_, out.dy = d_z_, out.dx = d_hidden_;
  out.x_amax = part.x_out_amax, out.dy_amax = part.dy_out_amax;
  const bool llama = model_.architecture == Architecture::llama;
  LinearProblem sizes;
  sizes.in_features = model_.hidden;
  sizes.out_features = in_cols;
  part.reserved_in = reserve_linear(part.is_attention() ? "qkv"
                                    : llama             ? "gate_up"
                                                        : "up",
                                    p.block, sizes, in, arena);
  sizes.in_features = hidden_cols;
  sizes.out_features = model_.hidden;
  part.reserved_out =
      reserve_linear(part.is_attention() ? "o" : "down", p.block, sizes, out, arena);
}

// Logits are computed for some rows at a time. Each piece of rows is a linear layer of its own with
// the same weights, and all pieces use the same memory for logits.
void Transformer::reserve_head(Arena& arena) {
  const std::int64_t vocabulary = Parameters::padded_vocabulary(model_);
  const std::int64_t rows = layout_.rows();
  loss_rows_ = options_.loss_rows > 0 ? options_.loss_rows : (std::int64_t{1} << 30) / vocabulary;
  std::int64_t pieces = ceil_div(rows, std::clamp<std::int64_t>(loss_rows_, 1, rows));
  while (rows % pieces != 0 || rows / pieces % 16 != 0) {
    if (++pieces > rows / 16) {
      throw std::invalid_argument("cannot train '" + model_.name + "': batch x sequence is " +
                                  std::to_string(rows) + " tokens, which must be a multiple of 16");
    }
  }
  loss_rows_ = rows / pieces;
  logits_ = arena.reserve(2 * loss_rows_ * vocabulary);
  const Parameter& weight = parameters_.head();
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::int64_t first_byte = 2 * piece * loss_rows_ * model_.hidden;
    LayerTensors t;
    t.x = normed_final_.after(first_byte);
    t.dx = d_normed_.after(first_byte);
    t.w = weights_.after(2 * weight.offset);
    t.dw = gradient_.after(4 * weight.offset);
    t.y = t.dy = logits_;
    LinearProblem problem;
    problem.name = "lm_head";
    problem.tokens = loss_rows_;
    problem.in_features = model_.hidden;
    problem.out_features = vocabulary;
    reserved_head_.push_back(reserve_layer(problem, t, Recipe::bf16, *backend_, arena));
  }
}

void Transformer::prepare() {
  // Recomputation runs the passes of later micro-batches, which do not quantize weights again.
  const int micro_batches = options_.recompute ? 2 : options_.micro_batches;
  const auto prepare_phases = [&](ReservedPhases& reserved, int uses, const Buffer* sums) {
    Phases layers;
    for (ReservedLayer& layer : reserved) {
      layers.emplace_back(std::move(layer), uses, workspace_.as<void>(), *backend_);
      if (sums != nullptr) layers.back().prepare_measurement(measurement_scratch_, *sums);
    }
    reserved.clear();
    return layers;
  };
  for (Part& part : parts_) {
    const auto measured = [&](const Buffer& sums) { return options_.numerics ? &sums : nullptr; };
    part.linear_in = prepare_phases(part.reserved_in, micro_batches, measured(part.sums_in));
    part.linear_out = prepare_phases(part.reserved_out, micro_batches, measured(part.sums_out));
  }
  head_ = prepare_phases(reserved_head_, 2, nullptr);
  if (model_.architecture == Architecture::llama) {
    const std::vector<float> table = rope_table(attention_);
    backend_->write(rope_.as<float>(), table.data(), 4 * static_cast<std::int64_t>(table.size()));
  }
  // Gaps between parameters, and positions after the sequence, never get a gradient.
  const std::vector<float> zeros(static_cast<std::size_t>(parameters_.size()));
  backend_->write(gradient(), zeros.data(), 4 * parameters_.size());
}

std::vector<StateTensor> Transformer::state() const {
  std::vector<StateTensor> all;
  const auto add = [&](const Part& part, const char* name, const Phases& phases) {
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
      for (StateTensor& state : phases[phase].state()) {
        state.name =
            "recipe." + std::to_string(phase) + "." + part.range + "." + name + "." + state.name;
        all.push_back(std::move(state));
      }
    }
  };
  for (const Part& part : parts_) {
    add(part, "in", part.linear_in);
    add(part, "out", part.linear_out);
  }
  return all;
}

std::vector<RepresentationCounts> Transformer::choices() const {
  std::vector<RepresentationCounts> all;
  for (const Part& part : parts_) {
    for (const Phases* phases : {&part.linear_in, &part.linear_out}) {
      for (RepresentationCounts& counts : (*phases)[phase_].choices()) {
        all.push_back(std::move(counts));
      }
    }
  }
  return all;
}

// ---- Forward ----

void Transformer::bias_forward(const Parameter& bias, std::int64_t cols, const Buffer& x) {
  if (bias.name.empty()) return;
  (*run_)(BiasForward{layout_.rows(), cols, weights_of(bias), x.as<Bf16>()});
}

// Operations of forward and backward raise the largest magnitudes of a micro-batch from 0.
void Transformer::clear_amax() {
  const auto reads_amax = [&](const Part& part) {
    return part.linear_in[phase_].reads_amax() || part.linear_out[phase_].reads_amax();
  };
  if (!options_.fuse_amax || std::none_of(parts_.begin(), parts_.end(), reads_amax)) return;
  const auto bytes = kAmaxBytes * kAmaxOfPart * static_cast<std::int64_t>(parts_.size());
  (*run_)(ClearAmax{bytes / 4, amax_.as<float>()});
}

// The branch of a part: normalization is done. Without output, only what backward needs.
void Transformer::run_branch(const Part& part, MicroBatch which, bool with_output) {
  const PartParameters& p = *part.parameters;
  float* const amax = amax_for(part.linear_out, part.x_out_amax);
  run(part.linear_in, Pass::fprop, which);
  if (part.is_attention()) {
    bias_forward(p.in_bias, attention_.qkv_cols(), part.in);
    if (model_.architecture == Architecture::llama) {
      (*run_)(Rope{attention_, rope_.as<float>(), false, part.in.as<Bf16>()});
    }
    (*run_)(AttentionForward{attention_, part.in.as<Bf16>(), part.hidden.as<Bf16>(),
                             part.stats.as<float>(), amax});
  } else {
    bias_forward(p.in_bias, p.ffn, part.in);
    if (model_.architecture == Architecture::llama) {
      (*run_)(
          SwigluForward{layout_.rows(), p.ffn, part.in.as<Bf16>(), part.hidden.as<Bf16>(), amax});
    } else {
      (*run_)(GeluForward{layout_.rows(), p.ffn, part.in.as<Bf16>(), part.hidden.as<Bf16>(), amax});
    }
  }
  if (!with_output) return;
  run(part.linear_out, Pass::fprop, which);
  bias_forward(p.out_bias, model_.hidden, delta_);
}

void Transformer::forward(int m, Mode mode) {
  const AnnotatedRange range("forward");
  clear_amax();
  EmbeddingForward embedding;
  embedding.rows = layout_.rows();
  embedding.cols = model_.hidden;
  embedding.tokens = layout_.tokens(device_batch(m));
  embedding.table = weights_of(parameters_.embedding());
  if (model_.architecture == Architecture::gpt2) {
    embedding.positions = weights_of(parameters_.positions());
    embedding.sequence = attention_.sequence;
  }
  embedding.out = (parts_.empty() ? z_final_ : parts_.front().z).as<Bf16>();
  (*run_)(embedding);

  // Adds the result of the previous part to the residual stream, and normalizes it.
  const Bf16* x = nullptr;
  const auto normalize = [&](const Parameter& gain, const Parameter& bias, const Buffer& z,
                             const Buffer& mean, const Buffer& inverse, const Buffer& out,
                             float* amax) {
    NormForward norm;
    norm.kind = norm_of(model_);
    norm.rows = layout_.rows();
    norm.cols = model_.hidden;
    norm.x = x == nullptr ? z.as<Bf16>() : x;
    if (x != nullptr) norm.delta = delta_.as<Bf16>(), norm.sum = z.as<Bf16>();
    norm.gain = weights_of(gain);
    if (!bias.name.empty()) norm.bias = weights_of(bias);
    norm.out = out.as<Bf16>();
    norm.mean = mean.as<float>();
    norm.inverse = inverse.as<float>();
    norm.amax = amax;
    (*run_)(norm);
    x = z.as<Bf16>();
  };
  for (const Part& part : parts_) {
    const AnnotatedRange part_range(part.range);
    const PartParameters& p = *part.parameters;
    normalize(p.gain, p.bias, part.z, part.mean, part.inverse, part.normed,
              amax_for(part.linear_in, part.x_in_amax));
    run_branch(part, which(m), true);
  }
  normalize(parameters_.final_gain(), parameters_.final_bias(), z_final_, mean_final_,
            inverse_final_, normed_final_, nullptr);
  head(m, mode);
}

void Transformer::head(int m, Mode mode) {
  const AnnotatedRange range("loss");
  for (std::size_t piece = 0; piece < head_.size(); ++piece) {
    const std::int64_t first = static_cast<std::int64_t>(piece) * loss_rows_;
    const MicroBatch accumulate = m == 0 && piece == 0 ? MicroBatch::first : MicroBatch::later;
    head_[piece].run(Pass::fprop);
    CrossEntropy loss;
    loss.rows = loss_rows_;
    loss.cols = Parameters::padded_vocabulary(model_);
    loss.vocabulary = model_.vocabulary;
    loss.logits = logits_.as<Bf16>();
    loss.targets = layout_.targets(device_batch(m)) + first;
    loss.losses = losses() + m * layout_.rows() + first;
    if (mode == Mode::train) {
      loss.gradient_scale = 1 / static_cast<float>(tokens_per_step() * options_.ranks);
    }
    (*run_)(loss);
    if (mode == Mode::evaluate) continue;
    head_[piece].run(Pass::dgrad);
    head_[piece].run(Pass::wgrad, accumulate);
  }
}

// ---- Backward ----

void Transformer::bias_backward(const Parameter& bias, std::int64_t cols, const Buffer& d_out,
                                MicroBatch which, float* amax) {
  if (bias.name.empty()) return;
  (*run_)(BiasBackward{layout_.rows(), cols, d_out.as<Bf16>(), gradient_of(bias),
                       which == MicroBatch::later, partials_.as<float>(), amax});
}

// The gradient of the residual stream before part `index` is dy of the previous part's last layer.
float* Transformer::amax_of_d_z(std::size_t index) const {
  if (index == 0) return nullptr;
  const Part& previous = parts_[index - 1];
  return amax_for(previous.linear_out, previous.dy_out_amax);
}

// From d_normed_ to d_z_, to which the gradient of the residual stream is added. `amax`: of d_z_.
void Transformer::norm_backward(const Parameter& gain, const Parameter& bias, const Buffer& z,
                                const Buffer& mean, const Buffer& inverse, const Buffer* residual,
                                float* amax, MicroBatch which) {
  NormBackward norm;
  norm.kind = norm_of(model_);
  norm.rows = layout_.rows();
  norm.cols = model_.hidden;
  norm.z = z.as<Bf16>();
  norm.gain = weights_of(gain);
  norm.mean = mean.as<float>();
  norm.inverse = inverse.as<float>();
  norm.d_out = d_normed_.as<Bf16>();
  if (residual != nullptr) norm.d_residual = residual->as<Bf16>();
  norm.d_x = d_z_.as<Bf16>();
  norm.d_gain = gradient_of(gain);
  if (!bias.name.empty()) norm.d_bias = gradient_of(bias);
  norm.accumulate = which == MicroBatch::later;
  norm.scratch = partials_.as<float>();
  norm.amax = amax;
  (*run_)(norm);
}

void Transformer::part_backward(std::size_t index, MicroBatch which) {
  const Part& part = parts_[index];
  const AnnotatedRange range(part.range);
  const PartParameters& p = *part.parameters;
  const std::int64_t rows = layout_.rows();
  if (options_.recompute) {
    const AnnotatedRange again("recompute");
    NormForward norm;
    norm.kind = norm_of(model_);
    norm.rows = rows;
    norm.cols = model_.hidden;
    norm.x = part.z.as<Bf16>();
    norm.gain = weights_of(p.gain);
    if (!p.bias.name.empty()) norm.bias = weights_of(p.bias);
    norm.out = part.normed.as<Bf16>();
    norm.mean = part.mean.as<float>();
    norm.inverse = part.inverse.as<float>();
    (*run_)(norm);  // the amax of the same result is known
    run_branch(part, MicroBatch::later, false);
  }
  run(part.linear_out, Pass::dgrad, which);
  run(part.linear_out, Pass::wgrad, which);
  float* const amax = amax_for(part.linear_in, part.dy_in_amax);
  bias_backward(p.out_bias, model_.hidden, d_z_, which);
  if (part.is_attention()) {
    (*run_)(AttentionBackward{attention_, part.in.as<Bf16>(), part.hidden.as<Bf16>(),
                              part.stats.as<float>(), d_hidden_.as<Bf16>(), d_in_.as<Bf16>(),
                              attention_scratch_.as<void>()});
    if (model_.architecture == Architecture::llama) {
      (*run_)(Rope{attention_, rope_.as<float>(), true, d_in_.as<Bf16>(), amax});
    }
    bias_backward(p.in_bias, attention_.qkv_cols(), d_in_, which, amax);
  } else {
    if (model_.architecture == Architecture::llama) {
      (*run_)(SwigluBackward{rows, p.ffn, part.in.as<Bf16>(), d_hidden_.as<Bf16>(),
                             d_in_.as<Bf16>(), amax});
    } else {
      (*run_)(GeluBackward{rows, p.ffn, part.in.as<Bf16>(), d_hidden_.as<Bf16>(), d_in_.as<Bf16>(),
                           amax});
    }
    bias_backward(p.in_bias, p.ffn, d_in_, which);
  }
  run(part.linear_in, Pass::dgrad, which);
  run(part.linear_in, Pass::wgrad, which);
  norm_backward(p.gain, p.bias, part.z, part.mean, part.inverse, &d_z_, amax_of_d_z(index), which);
}

void Transformer::backward(int m, const std::function<void(std::int64_t)>& final_from) {
  const AnnotatedRange range("backward");
  // GPT-2's head is the embedding, whose gradient is final at the end.
  if (final_from && parameters_.head().offset > 0) final_from(parameters_.head().offset);
  norm_backward(parameters_.final_gain(), parameters_.final_bias(), z_final_, mean_final_,
                inverse_final_, nullptr, amax_of_d_z(parts_.size()), which(m));
  for (std::size_t i = parts_.size(); i-- > 0;) {
    part_backward(i, which(m));
    if (final_from) final_from(parts_[i].parameters->in.front().offset);
  }
  EmbeddingBackward embedding;
  embedding.rows = layout_.rows();
  embedding.cols = model_.hidden;
  embedding.vocabulary = model_.vocabulary;
  embedding.groups = layout_.groups(device_batch(m));
  embedding.d_out = d_z_.as<Bf16>();
  embedding.d_table = gradient_of(parameters_.embedding());
  // GPT-2's LM head has written the gradient of the same weights.
  embedding.accumulate_table = m > 0 || model_.architecture == Architecture::gpt2;
  if (model_.architecture == Architecture::gpt2) {
    embedding.d_positions = gradient_of(parameters_.positions());
    embedding.accumulate_positions = m > 0;
    embedding.sequence = attention_.sequence;
  }
  (*run_)(embedding);
}

}  // namespace mansard::kernels
