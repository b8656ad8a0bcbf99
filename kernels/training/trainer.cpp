// SPDX-License-Identifier: Apache-2.0
#include "kernels/training/trainer.h"

#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "kernels/training/row_checkpoint.h"
#include "support/hash.h"

namespace mansard::kernels {
namespace {

TransformerOptions transformer_options(const TrainingOptions& options, int rank, int ranks) {
  TransformerOptions o = options.transformer;
  o.ranks = ranks;
  // Equal errors of stochastic rounding on all ranks would not average out.
  if (rank > 0) o.seed = HashBuilder().add(o.seed).add(rank).hash();
  o.numerics = options.numerics_every > 0;
  o.phases.clear();
  for (const RecipePhase& phase : options.phases) o.phases.push_back(phase.plan);
  return o;
}

void require_phases(const std::vector<RecipePhase>& phases) {
  if (phases.empty() || phases.front().first_step != 0) {
    throw std::invalid_argument("the first recipe must apply from step 0");
  }
  for (std::size_t i = 1; i < phases.size(); ++i) {
    if (phases[i].first_step <= phases[i - 1].first_step) {
      throw std::invalid_argument("recipes must be in the order of their first steps");
    }
  }
}

}  // namespace

Trainer::Trainer(const TrainingOptions& options, const TokenSequences& sequences, Backend& backend,
                 const TrainerRank& rank)
    : options_(options),
      sequences_(&sequences),
      backend_(&backend),
      rank_(rank),
      data_fingerprint_(sequences.data().fingerprint()),
      operations_(make_operations(backend, options.operations)) {
  require_phases(options_.phases);
  if (sequences.length() != options_.transformer.sequence) {
    throw std::invalid_argument(
        "the sequences of the data have " + std::to_string(sequences.length()) +
        " tokens, those of the model " + std::to_string(options_.transformer.sequence));
  }
  transformer_ = std::make_unique<Transformer>(
      options_.model, transformer_options(options_, rank_.rank, summed_ranks()), backend,
      *operations_, arena_);
  optimizer_ = std::make_unique<AdamWOptimizer>(options_.optimizer, *transformer_, *operations_,
                                                backend, rank_.gradients, arena_);
  result_ = arena_.reserve(sizeof(StepResult));
  arena_.allocate(backend);
  if (!options_.operations.deterministic && backend.cuda_stream() != nullptr) {
    // Zeros need less power than numbers, and the clock would be that of no training step.
    arena_.fill(backend, options_.seed);
    backend.measure_gemms(true);
  }
  transformer_->prepare();
  backend.measure_gemms(false);

  std::vector<float> values(static_cast<std::size_t>(transformer_->parameters().size()));
  transformer_->parameters().initialize(options_.seed, values.data());
  optimizer_->initialize(values);
  batch_.resize(static_cast<std::size_t>(transformer_->batch_layout().bytes() / 4 *
                                         options_.transformer.micro_batches));
}

std::int64_t Trainer::sequences_per_rank() const {
  return options_.transformer.batch * options_.transformer.micro_batches;
}

std::size_t Trainer::phase_of(std::int64_t step) const {
  std::size_t phase = 0;
  while (phase + 1 < options_.phases.size() && options_.phases[phase + 1].first_step <= step) {
    ++phase;
  }
  return phase;
}

bool Trainer::is_measured(std::int64_t step) const {
  if (options_.numerics_every == 0) return false;
  return step % options_.numerics_every == 0 || step + 1 == options_.schedule.steps;
}

void Trainer::prepare_batch() {
  const BatchLayout& layout = transformer_->batch_layout();
  const std::int64_t length = sequences_->length();
  for (int m = 0; m < options_.transformer.micro_batches; ++m) {
    std::int32_t* const batch = batch_.data() + m * (layout.bytes() / 4);
    for (std::int64_t s = 0; s < options_.transformer.batch; ++s) {
      sequences_->read(
          TokenSequences::Split::training,
          position_ + rank_.rank * sequences_per_rank() + m * options_.transformer.batch + s,
          layout.tokens(batch) + s * length, layout.targets(batch) + s * length);
    }
    layout.group_tokens(batch);
  }
  batch_is_ready_ = true;
}

// Those of the step in progress: the next batch may be read before a save that does not include it.
void Trainer::count_accesses() {
  if (!rows_) return;
  const BatchLayout& layout = transformer_->batch_layout();
  for (int m = 0; m < options_.transformer.micro_batches; ++m) {
    rows_->access(layout.tokens(batch_.data() + m * (layout.bytes() / 4)), layout.rows());
  }
}

void Trainer::upload_batch() {
  backend_->write(transformer_->device_batch(0), batch_.data(),
                  static_cast<std::int64_t>(4 * batch_.size()));
}

void Trainer::enqueue_step() {
  Transformer& t = *transformer_;
  for (int m = 0; m < options_.transformer.micro_batches; ++m) {
    std::optional<AnnotatedRange> range;
    if (options_.transformer.micro_batches > 1) range.emplace("micro-batch " + std::to_string(m));
    t.forward(m);
    if (m + 1 < options_.transformer.micro_batches || rank_.gradients == nullptr) {
      t.backward(m);
    } else {
      t.backward(m, [this](std::int64_t first) { optimizer_->exchange_from(first); });
    }
  }
  const AnnotatedRange range("optimizer");
  auto* const result = result_.as<StepResult>();
  optimizer_->sum(t.losses(), t.tokens_per_step(), false, &result->loss_sum);
  optimizer_->finish_step(&result->loss_sum, 2, &result->squared_norm);
}

StepReport Trainer::step() {
  if (!batch_is_ready_) prepare_batch();
  const auto start = std::chrono::steady_clock::now();
  const AnnotatedRange range("step " + std::to_string(step_));
  StepReport report;
  report.step = step_;
  numerics_.clear();
  report.learning_rate = options_.schedule.learning_rate(step_);
  optimizer_->begin_step(step_, report.learning_rate);
  if (rank_.gradients != nullptr) {
    const float stop = stop_ ? 1 : 0;
    backend_->write(&result_.as<StepResult>()->stop_requested, &stop, sizeof stop);
  }
  upload_batch();
  if (const std::size_t phase = phase_of(step_); phase != phase_) {
    choices_ = take_choices();
    phase_ = phase;
    phase_has_run_ = false;
    replay_ = nullptr;
  }
  transformer_->set_phase(phase_);
  const bool measured = is_measured(step_);
  transformer_->set_measuring(measured);
  // Libraries may allocate memory at their first call, which a capture does not allow.
  if (options_.graph && phase_has_run_ && !replay_ && !measured) {
    const AnnotatedRange recording("recording");
    replay_ = backend_->record([this] { enqueue_step(); });
  }
  if (replay_ && !measured) {
    replay_();
  } else {
    enqueue_step();
  }
  phase_has_run_ = true;

  // The device computes this step meanwhile.
  count_accesses();
  position_ += sequences_per_rank() * rank_.ranks;
  prepare_batch();

  StepResult result;
  backend_->read(&result, result_.as<StepResult>(), sizeof result);
  if (rank_.gradients != nullptr) rank_.gradients->group().require_all();
  report.time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.stop = rank_.gradients != nullptr && result.stop_requested > 0;
  transformer_->set_measuring(false);
  if (measured) numerics_ = transformer_->numerics();
  for (TensorNumerics& n : numerics_) n.step = step_;
  report.loss = double{result.loss_sum} /
                static_cast<double>(transformer_->tokens_per_step() * summed_ranks());
  report.gradient_norm = std::sqrt(double{result.squared_norm});
  ++step_;
  if (!std::isfinite(report.loss) || !std::isfinite(report.gradient_norm)) {
    throw std::runtime_error("step " + std::to_string(report.step) + ": the loss is " +
                             std::to_string(report.loss) + " and the norm of the gradient " +
                             std::to_string(report.gradient_norm) +
                             "; continue from a checkpoint before this step with a lower learning "
                             "rate, a longer warm-up, or more layers in BF16");
  }
  return report;
}

void Trainer::skip_to(std::int64_t step) {
  position_ += (step - step_) * sequences_per_rank() * rank_.ranks;
  step_ = step;
  batch_is_ready_ = false;
}

// Reads and resets the counters on the device.
mor::Counts Trainer::read_choices() {
  mor::Counts sum;
  for (const RepresentationCounts& counts : transformer_->choices()) {
    mor::Counts one;
    backend_->read(&one, counts.counts.as<mor::Counts>(), sizeof one);
    for (int i = 0; i < mor::kRepresentations; ++i) {
      sum.blocks[i] += one.blocks[i];
      sum.elements[i] += one.elements[i];
    }
    const mor::Counts zero;
    backend_->write(counts.counts.as<mor::Counts>(), &zero, sizeof zero);
  }
  return sum;
}

mor::Counts Trainer::take_choices() {
  const mor::Counts now = read_choices();
  mor::Counts all = choices_;
  choices_ = {};
  for (int i = 0; i < mor::kRepresentations; ++i) {
    all.blocks[i] += now.blocks[i];
    all.elements[i] += now.elements[i];
  }
  return all;
}

std::optional<double> Trainer::validate(const TokenSequences& sequences, std::int64_t most) {
  const AnnotatedRange range("validation");
  const BatchLayout& layout = transformer_->batch_layout();
  const std::int64_t batch = options_.transformer.batch;
  const std::int64_t batches =
      std::min(most, sequences.windows(TokenSequences::Split::validation)) / batch;
  if (batches == 0) return std::nullopt;

  // Quantizing with delayed scaling changes the history of scales.
  const std::vector<StateTensor> state = transformer_->state();
  std::vector<std::vector<std::byte>> saved;
  for (const StateTensor& tensor : state) {
    saved.emplace_back(static_cast<std::size_t>(tensor.bytes));
    backend_->read(saved.back().data(), tensor.data.as<void>(), tensor.bytes);
  }
  choices_ = take_choices();
  transformer_->set_phase(phase_of(step_));
  double sum = 0;
  std::vector<std::int32_t> tokens(static_cast<std::size_t>(layout.bytes() / 4));
  std::vector<float> losses(static_cast<std::size_t>(layout.rows()));
  const bool shared = rank_.gradients != nullptr;
  for (std::int64_t b = shared ? rank_.rank : 0; b < batches; b += summed_ranks()) {
    for (std::int64_t s = 0; s < batch; ++s) {
      sequences.read(TokenSequences::Split::validation, b * batch + s,
                     layout.tokens(tokens.data()) + s * sequences.length(),
                     layout.targets(tokens.data()) + s * sequences.length());
    }
    backend_->write(transformer_->device_batch(0), tokens.data(), layout.bytes());
    transformer_->forward(0, Transformer::Mode::evaluate);
    backend_->read(losses.data(), transformer_->losses(), 4 * layout.rows());
    sum = std::accumulate(losses.begin(), losses.end(), sum);
  }
  read_choices();  // those of validation
  for (std::size_t i = 0; i < state.size(); ++i) {
    backend_->write(state[i].data.as<void>(), saved[i].data(), state[i].bytes);
  }
  if (shared) sum = rank_.gradients->group().sum(sum);
  return sum / static_cast<double>(batches * layout.rows());
}

namespace {

std::string describe(const TransformerModel& model) {
  std::string text = "hidden " + std::to_string(model.hidden) + ", heads " +
                     std::to_string(model.heads) + "/" + std::to_string(model.kv_heads) + " of " +
                     std::to_string(model.head_size) + ", vocabulary " +
                     std::to_string(model.vocabulary) + ", blocks";
  for (const TransformerBlocks& run : model.blocks) {
    text += " " + std::to_string(run.count) + "x" + (run.attention ? "A" : "-") +
            std::to_string(run.ffn);
  }
  return text + (model.architecture == Architecture::llama ? ", Llama" : ", GPT-2");
}

std::string describe(const std::vector<RecipePhase>& phases) {
  std::string text;
  for (const RecipePhase& phase : phases) {
    text += (text.empty() ? "" : ", ") + std::string(to_string(phase.plan.recipe)) + " from step " +
            std::to_string(phase.first_step);
    if (phase.plan.bf16_first_blocks > 0 || phase.plan.bf16_last_blocks > 0) {
      text += " (first " + std::to_string(phase.plan.bf16_first_blocks) + " and last " +
              std::to_string(phase.plan.bf16_last_blocks) + " blocks in bf16)";
    }
    const RecipeOptions& options = phase.plan.options;
    if (phase.plan.recipe == Recipe::nvfp4) {
      if (!options.hadamard) text += " without Hadamard transform";
      if (!options.stochastic_rounding) text += " without stochastic rounding";
      if (!options.weights_2d) text += " with 1D weight blocks";
    }
    if (phase.plan.recipe == Recipe::mor_tensor || phase.plan.recipe == Recipe::mor_block) {
      text += " with threshold " + std::to_string(options.mor_threshold);
    }
  }
  return text;
}

}  // namespace

// The tensors of a checkpoint, in the order of the file.
std::vector<CheckpointTensor> Trainer::checkpoint_tensors() {
  std::vector<CheckpointTensor> tensors = optimizer_->checkpoint_tensors();
  for (const StateTensor& state : transformer_->state()) {
    tensors.push_back({state.name, "U8", {state.bytes}, state.data.as<void>(), state.bytes});
  }
  return tensors;
}

CheckpointInfo Trainer::checkpoint_info() const {
  CheckpointInfo info;
  info.step = step_;
  info.position = position_;
  info.data_fingerprint = data_fingerprint_;
  info.model = describe(options_.model);
  info.recipes = describe(options_.phases);
  if (options_.transformer.seed != options_.seed) {
    info.recipes += ", rounding seed " + std::to_string(options_.transformer.seed);
  }
  info.seed = options_.seed;
  return info;
}

void Trainer::save(const std::filesystem::path& file) {
  backend_->synchronize();
  const std::vector<CheckpointTensor> tensors = checkpoint_tensors();
  if (writes_files()) {
    write_checkpoint(file, checkpoint_info(), tensors, *backend_);
    if (rows_) rows_->all_saved();
    return;
  }
  for (const CheckpointTensor& tensor : tensors) {
    if (tensor.fetch) tensor.fetch();  // gives rank 0 the content of this rank
  }
}

void Trainer::load(const std::filesystem::path& file) {
  const CheckpointInfo loaded =
      read_checkpoint(file, checkpoint_info(), checkpoint_tensors(), *backend_);
  step_ = loaded.step;
  position_ = loaded.position;
  batch_is_ready_ = false;
  phase_ = phase_of(step_);
  phase_has_run_ = false;
  replay_ = nullptr;
  optimizer_->publish_weights();
  if (rows_) rows_->all_saved();
}

// ---- Rows ----

std::vector<CheckpointTensor> Trainer::embedding_tensors() const {
  return optimizer_->checkpoint_tensors(transformer_->parameters().embedding());
}

void Trainer::track_rows(const RowPriorityOptions& options) {
  if (optimizer_->is_sharded()) {
    throw std::invalid_argument(
        "rows of the embedding cannot be saved if the optimizer is sharded: each rank has a part "
        "of "
        "their moments");
  }
  const Parameter& embedding = transformer_->parameters().embedding();
  std::unique_ptr<RowSelection> rows =
      make_row_selection(options, {*backend_, optimizer_->master() + embedding.offset,
                                   embedding.shape.rows, embedding.shape.cols});
  if (writes_files()) rows_ = std::move(rows);
}

void Trainer::save_rows(const std::filesystem::path& file) {
  if (!writes_files()) return;
  if (!rows_) throw std::logic_error("rows are saved without having been tracked");
  const std::vector<std::int32_t> rows = rows_->choose();
  write_rows(file, checkpoint_info(), embedding_tensors(), rows, *backend_);
  rows_->saved(rows);
}

std::int64_t Trainer::load_rows(const std::filesystem::path& file) {
  if (optimizer_->is_sharded()) {
    throw std::runtime_error("checkpoint '" + file.string() +
                             "' has rows of the embedding, which a sharded optimizer cannot load; "
                             "train without sharding, or move the file away to continue from the "
                             "last full checkpoint");
  }
  const CheckpointInfo loaded = read_rows(file, checkpoint_info(), embedding_tensors(), *backend_);
  optimizer_->publish_weights(transformer_->parameters().embedding());
  if (rows_) rows_->all_saved();
  return loaded.step;
}

RestoredState Trainer::restore(const std::filesystem::path& folder) {
  RestoredState restored;
  restored.checkpoint = newest_checkpoint(folder);
  if (restored.checkpoint.empty()) return restored;
  load(restored.checkpoint);
  restored.step = restored.rows_step = steps_done();
  for (const std::filesystem::path& file : newer_row_files(folder)) {
    try {
      restored.rows_step = load_rows(file);
    } catch (const DamagedCheckpoint& damage) {
      restored.skipped.emplace_back(damage.what());
    }
  }
  return restored;
}

}  // namespace mansard::kernels
