// SPDX-License-Identifier: Apache-2.0
#include "cli/train_model.h"

#include <charconv>
#include <chrono>
#include <csignal>
#include <iostream>
#include <sstream>

#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/output.h"
#include "cli/run_options.h"
#include "cli/training_log.h"
#include "cli/training_record.h"
#include "empirical_roofline/machine_model.h"
#include "kernels/annotation/range.h"
#include "kernels/training/trainer.h"
#include "support/statistics.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::cli {
namespace {

namespace fs = std::filesystem;
using kernels::Trainer;
using Split = kernels::TokenSequences::Split;

// ---- Options of the library ----

kernels::TransformerModel model_of(const TrainOptions& o, std::int64_t vocabulary) {
  kernels::TransformerModel model;
  if (o.model != "llama") {
    model = *kernels::find_transformer_model(o.model);
  } else {
    model.name = "llama";
    model.hidden = o.hidden;
    model.heads = o.heads;
    model.kv_heads = o.kv_heads > 0 ? o.kv_heads : o.heads;
    if (o.head_size == 0 && o.hidden % o.heads != 0) {
      throw UsageError("--hidden " + std::to_string(o.hidden) + " is not a multiple of --heads " +
                       std::to_string(o.heads) + "; give --head-size");
    }
    model.head_size = o.head_size > 0 ? o.head_size : o.hidden / o.heads;
    if (o.blocks.empty()) {
      const std::int64_t ffn = o.ffn > 0 ? o.ffn : kernels::searched_ffn(4, o.hidden);
      model.blocks = {{o.layers, true, ffn}};
    } else {
      model.blocks = kernels::searched_blocks(o.blocks, o.hidden);
    }
  }
  model.vocabulary = std::max(vocabulary, o.vocabulary);
  if (o.vocabulary > 0 && o.vocabulary < vocabulary) {
    throw UsageError("--vocabulary " + std::to_string(o.vocabulary) + ": the data has " +
                     std::to_string(vocabulary) + " different tokens");
  }
  return model;
}

std::vector<kernels::RecipePhase> phases_of(const TrainOptions& o) {
  const auto plan = [&](std::string_view recipe) {
    kernels::RecipePlan p{*kernels::parse_recipe(recipe), o.bf16_first, o.bf16_last, {}};
    p.options.hadamard = !o.no_hadamard;
    p.options.stochastic_rounding = !o.no_stochastic_rounding;
    p.options.weights_2d = !o.weights_1d;
    p.options.mor_threshold = static_cast<float>(o.mor_threshold);
    return p;
  };
  std::vector<kernels::RecipePhase> phases = {{0, plan(o.recipe)}};
  if (o.then.empty()) return phases;
  const std::size_t at = o.then.find('@');
  const std::string recipe = o.then.substr(0, at);
  std::int64_t step = 0;
  const char* const end = o.then.data() + o.then.size();
  const bool is_number = at != std::string::npos &&
                         std::from_chars(o.then.data() + at + 1, end, step).ptr == end && step > 0;
  if (!is_number || !kernels::parse_recipe(recipe)) {
    throw UsageError("--then '" + o.then + "': give a recipe and its first step, such as bf16@900");
  }
  phases.push_back({step, plan(recipe)});
  return phases;
}

kernels::TrainingOptions training_options(const TrainOptions& o, std::int64_t vocabulary,
                                          bool gpu) {
  kernels::TrainingOptions t;
  t.model = model_of(o, vocabulary);
  t.transformer.batch = o.batch;
  t.transformer.sequence = o.sequence;
  t.transformer.micro_batches = o.micro_batches;
  t.transformer.recompute = o.recompute;
  t.transformer.fuse_amax = !o.separate_amax;
  t.phases = phases_of(o);
  t.schedule.shape = o.schedule == "cosine" ? kernels::ScheduleShape::cosine
                     : o.schedule == "wsd"  ? kernels::ScheduleShape::wsd
                                            : kernels::ScheduleShape::constant;
  t.schedule.peak = o.learning_rate;
  t.schedule.final_fraction = o.final_fraction;
  t.schedule.decay_fraction = o.decay_fraction;
  t.schedule.warmup_steps = o.warmup;
  t.schedule.steps = o.steps;
  t.beta1 = static_cast<float>(o.beta1);
  t.beta2 = static_cast<float>(o.beta2);
  t.weight_decay = static_cast<float>(o.weight_decay);
  t.max_norm = static_cast<float>(o.clip);
  t.seed = o.seed;
  t.transformer.seed = o.rounding_seed.value_or(o.seed);
  t.graph = gpu && !o.eager;
  t.operations = {!o.no_cudnn, o.deterministic};
  t.numerics_every = o.numerics_every;
  return t;
}

// ---- Peaks ----

// The BF16 rates that MFU refers to; 0: unknown.
struct Peaks {
  double datasheet = 0;
  double measured = 0;
};

double bf16_rate(const roofline::DeviceModel* device) {
  const roofline::Ceiling* const ceiling =
      device == nullptr ? nullptr : device->compute(Precision::bf16);
  return ceiling == nullptr ? 0 : ceiling->value;
}

Peaks peaks_of(const kernels::DeviceInfo& device, const std::string& machine_file) {
  Peaks peaks;
  if (const roofline::MachineModel* model = roofline::find_datasheet(device.name)) {
    peaks.datasheet = bf16_rate(&model->devices.front());
  }
  if (machine_file.empty()) return peaks;
  const roofline::MachineModel model = roofline::load_machine_model(machine_file);
  peaks.measured = bf16_rate(model.find_device(device.name, device.uuid));
  if (peaks.measured == 0) {
    throw std::runtime_error("machine model '" + machine_file + "' has no BF16 ceiling for '" +
                             device.name + "'; measure it with 'mansard characterize'");
  }
  return peaks;
}

std::string percent(double fraction) {
  std::ostringstream text;
  text.precision(fraction < 0.1 ? 2 : 3);
  text << 100 * fraction << " %";
  return text.str();
}

// ---- Run ----

volatile std::sig_atomic_t interrupted = 0;

// Finishes the step on SIGINT and SIGTERM, so that a checkpoint can be written.
struct StopSignals {
  StopSignals() {
    interrupted = 0;
    for (const int signal : {SIGINT, SIGTERM}) {
      std::signal(signal, [](int number) { interrupted = number; });
    }
  }
  ~StopSignals() {
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
  }
};

class TrainRun {
 public:
  TrainRun(const TrainOptions& options)
      : o_(options),
        device_(choose_device(options.device)),
        peaks_(peaks_of(device_, options.machine)),
        data_(kernels::TokenData::open(options.data)),
        sequences_(data_, options.sequence, options.seed,
                   options.validation_data.empty() ? kernels::TokenSequences::Validation::every_50th
                                                   : kernels::TokenSequences::Validation::none) {
    if (!o_.validation_data.empty()) {
      validation_data_.emplace(kernels::TokenData::open(o_.validation_data));
      validation_.emplace(*validation_data_, o_.sequence, o_.seed,
                          kernels::TokenSequences::Validation::all);
      if (validation_data_->vocabulary() != data_.vocabulary()) {
        throw std::runtime_error(
            "the validation data has other tokens than the training data: "
            "a vocabulary of " +
            std::to_string(validation_data_->vocabulary()) + " instead of " +
            std::to_string(data_.vocabulary()));
      }
    }
    backend_ = kernels::make_backend(device_);
    trainer_ = std::make_unique<Trainer>(
        training_options(o_, data_.vocabulary(), device_.target == kernels::Target::cuda),
        sequences_, *backend_);
  }

  int run();

 private:
  double tokens_per_step() const {
    return static_cast<double>(trainer_->transformer().tokens_per_step());
  }
  double flop_per_s(double step_s) const {
    return tokens_per_step() * trainer_->options().model.training_flop_per_token(o_.sequence) /
           step_s;
  }
  std::optional<double> validate() {
    return trainer_->validate(validation_ ? *validation_ : sequences_, o_.validation_sequences);
  }
  void announce() const;
  void resume();
  void save();
  void print(const kernels::StepReport& report, std::optional<double> validation_loss);
  void print_result(std::optional<double> validation_loss) const;

  const TrainOptions& o_;
  kernels::DeviceInfo device_;
  Peaks peaks_;
  kernels::TokenData data_;
  kernels::TokenSequences sequences_;
  std::optional<kernels::TokenData> validation_data_;
  std::optional<kernels::TokenSequences> validation_;
  std::unique_ptr<kernels::Backend> backend_;
  std::unique_ptr<Trainer> trainer_;
  std::vector<double> times_s_;
  kernels::StepReport last_;
  kernels::mor::Counts choices_;
};

void TrainRun::announce() const {
  const kernels::Transformer& t = trainer_->transformer();
  const std::string skipped = data_.skipped().description();
  say(data_.description() + (skipped.empty() ? "" : " (not read: " + skipped + ")") + "; " +
      format_whole(sequences_.windows(Split::training)) + " training sequences");
  const std::int64_t vocabulary = trainer_->options().model.vocabulary;
  const std::int64_t named =
      o_.model == "llama" ? vocabulary : kernels::find_transformer_model(o_.model)->vocabulary;
  if (named != vocabulary) {
    say(o_.model + " has a vocabulary of " + format_whole(named) + "; this run has " +
        format_whole(vocabulary) + ", as its data has (see --vocabulary)");
  }
  say(trainer_->options().model.name + " with " +
      format_si(static_cast<double>(t.parameters().count()), "") + " parameters, " +
      format_si(static_cast<double>(trainer_->memory_bytes()), "B") + " of memory on " +
      device_.name + "; attention: " + trainer_->attention_name());
}

void TrainRun::resume() {
  if (o_.checkpoints.empty()) return;
  const fs::path newest = kernels::newest_checkpoint(o_.checkpoints);
  if (newest.empty()) {
    if (o_.resume) say("no checkpoint in '" + o_.checkpoints + "' yet; starting at step 0");
    return;
  }
  if (!o_.resume) {
    throw std::runtime_error("'" + o_.checkpoints + "' has checkpoints, up to '" +
                             newest.filename().string() +
                             "': continue with --resume, or give another folder");
  }
  trainer_->load(newest);
  say("resumed after step " + format_whole(trainer_->steps_done()) + " from '" + newest.string() +
      "'");
}

void TrainRun::save() {
  if (o_.checkpoints.empty()) return;
  fs::create_directories(o_.checkpoints);
  trainer_->save(kernels::checkpoint_file(o_.checkpoints, trainer_->steps_done()));
  kernels::remove_old_checkpoints(o_.checkpoints, o_.keep);
}

void TrainRun::print(const kernels::StepReport& report, std::optional<double> validation_loss) {
  const std::size_t recent = std::min<std::size_t>(times_s_.size(), 20);
  const double step_s =
      median({times_s_.end() - static_cast<std::ptrdiff_t>(recent), times_s_.end()});
  std::ostringstream line;
  line << "step " << report.step + 1 << "/" << o_.steps << "  loss ";
  line.precision(4);
  line << std::fixed << report.loss;
  if (validation_loss) line << "  validation " << *validation_loss;
  line.precision(2);
  line << "  norm " << report.gradient_norm << "  "
       << format_si(tokens_per_step() / step_s, "token/s");
  if (peaks_.datasheet > 0) line << "  MFU " << percent(flop_per_s(step_s) / peaks_.datasheet);
  if (peaks_.measured > 0) {
    line << " (" << percent(flop_per_s(step_s) / peaks_.measured) << " of measured)";
  }
  const double left_s = step_s * static_cast<double>(o_.steps - report.step - 1);
  line << "  " << format_si(step_s, "s") << " per step";
  line.precision(0);
  if (left_s >= 90) {
    line << ", " << left_s / 60 << " min left";
  } else {
    line << ", " << left_s << " s left";
  }
  say(line.str());
}

void TrainRun::print_result(std::optional<double> validation_loss) const {
  analysis::Table table{"training", "Training", {}, {}};
  table.columns = {
      {"recipe", "recipe", analysis::CellFormat::text, "", "Recipe of the last step."},
      {"steps", "steps", analysis::CellFormat::count, "", "Steps done, including resumed ones."},
      {"tokens", "tokens", analysis::CellFormat::count, "", "Tokens trained on."},
      {"loss_nats", "loss", analysis::CellFormat::number, "nat",
       "Mean loss of the last step, in nats."},
      {"validation_loss_nats", "validation loss", analysis::CellFormat::number, "nat",
       "Mean loss over the validation sequences after the last step, in nats."},
      {"step_s", "step", analysis::CellFormat::quantity, "s", "Median time of a step of this run."},
      {"tokens_per_s", "token rate", analysis::CellFormat::quantity, "token/s",
       "Tokens of a step / its median time."},
      {"flop_per_s", "FLOP/s", analysis::CellFormat::quantity, "FLOP/s",
       "Model FLOPs (6 per weight and token, and causal attention) / median time."},
      {"mfu", "MFU", analysis::CellFormat::fraction, "",
       "Model FLOP/s / BF16 peak of the GPU's datasheet."},
      {"mfu_measured", "of measured", analysis::CellFormat::fraction, "",
       "Model FLOP/s / measured BF16 ceiling (--machine)."},
      {"fp8", "in FP8", analysis::CellFormat::fraction, "",
       "Share of tensors (mor_tensor) or blocks (mor_block) that MoR stored in FP8 in this run."}};
  const double step_s = times_s_.empty() ? 0 : median(times_s_);
  const auto cell = [](bool known, double value) {
    return known ? analysis::Cell(value) : analysis::Cell();
  };
  const bool timed = step_s > 0;
  const double rate = timed ? flop_per_s(step_s) : 0;
  const std::vector<kernels::RecipePhase>& phases = trainer_->options().phases;
  std::string recipe;
  for (const kernels::RecipePhase& phase : phases) {
    if (phase.first_step < trainer_->steps_done() || recipe.empty()) {
      recipe = to_string(phase.plan.recipe);
    }
  }
  table.rows.push_back(
      {recipe, trainer_->steps_done(),
       trainer_->steps_done() * trainer_->transformer().tokens_per_step(), cell(timed, last_.loss),
       cell(validation_loss.has_value(), validation_loss.value_or(0)), cell(timed, step_s),
       cell(timed, timed ? tokens_per_step() / step_s : 0), cell(timed, rate),
       cell(timed && peaks_.datasheet > 0, rate / std::max(1.0, peaks_.datasheet)),
       cell(timed && peaks_.measured > 0, rate / std::max(1.0, peaks_.measured)),
       cell(blocks_of(choices_) > 0, blocks_of(choices_) > 0 ? share_in_fp8(choices_) : 0)});
  analysis::Finding finding;
  finding.id = "train";
  finding.title = "Training of " + trainer_->options().model.name + " on " + device_.name;
  finding.summary = format_whole(trainer_->steps_done()) + " of " + format_whole(o_.steps) +
                    " steps of " + format_si(tokens_per_step(), "token") + "s.";
  finding.tables = {table};
  std::cout << reports::render({finding}, format_of(o_.format), render_options());
}

int TrainRun::run() {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed_s = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  announce();
  resume();
  TrainingLog log(o_.log, o_.resume, trainer_->steps_done(), o_.force);
  std::optional<TrainingRecord> record;
  if (o_.numerics_every > 0 || !o_.record.empty()) record.emplace(o_.record, o_.force);
  const StopSignals signals;
  double printed_s = -1;
  std::optional<double> validation_loss;
  bool stopped = false;
  while (trainer_->steps_done() < o_.steps && !stopped) {
    try {
      last_ = trainer_->step();
    } catch (const std::exception&) {
      // The step diverged; its numerics may show why.
      if (record) record->add(trainer_->numerics());
      throw;
    }
    times_s_.push_back(last_.time_s);
    const std::int64_t done = trainer_->steps_done();
    const bool at_end = done == o_.steps;
    stopped = interrupted != 0 || (o_.time_limit_s > 0 && elapsed_s() >= o_.time_limit_s);
    validation_loss.reset();
    std::optional<kernels::mor::Counts> choices;
    if (at_end || (o_.validate_every > 0 && done % o_.validate_every == 0)) {
      choices = trainer_->take_choices();
      for (int i = 0; i < kernels::mor::kRepresentations; ++i) {
        choices_.blocks[i] += choices->blocks[i];
      }
      validation_loss = validate();
    }
    const std::int64_t tokens = done * trainer_->transformer().tokens_per_step();
    log.add(last_, validation_loss, tokens, choices);
    if (record) {
      record->add(trainer_->numerics());
      record->add({last_.step, tokens, last_.loss, validation_loss, last_.learning_rate,
                   last_.gradient_norm});
    }
    if (at_end || stopped || (o_.checkpoint_every > 0 && done % o_.checkpoint_every == 0)) save();
    if (at_end || stopped || validation_loss || elapsed_s() - printed_s >= 1) {
      print(last_, validation_loss);
      printed_s = elapsed_s();
    }
  }
  if (stopped && trainer_->steps_done() < o_.steps) {
    say("stopped after step " + format_whole(trainer_->steps_done()) +
        (o_.checkpoints.empty() ? "; without --checkpoints nothing is saved"
                                : "; continue with --resume"));
  }
  if (record) record->finish();
  print_result(validation_loss);
  if (record && !record->file().empty()) {
    suggest_next("mansard report " + shell_quoted(record->file().string()));
  } else {
    suggest_profiling("train.sqlite");
  }
  return interrupted != 0 ? 128 + interrupted : exit_ok;
}

}  // namespace

int train_model(const TrainOptions& options) {
  try {
    if (!options.record.empty()) require_record(options.record, options.force);
    if (options.numerics_every > 0 && options.record.empty() &&
        !kernels::annotation_tool_attached()) {
      throw UsageError(
          "--numerics measures for --record FILE or for a profiler, and there is neither: give "
          "--record, or run 'mansard profile -o FILE -- " +
          invocation() + "'");
    }
    return TrainRun(options).run();
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

}  // namespace mansard::cli
