// SPDX-License-Identifier: Apache-2.0
#include "cli/train_model.h"

#include <chrono>
#include <csignal>
#include <iostream>
#include <sstream>

#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/output.h"
#include "cli/rank_launcher.h"
#include "cli/run_options.h"
#include "cli/training_log.h"
#include "cli/training_options.h"
#include "cli/training_record.h"
#include "empirical_roofline/machine_model.h"
#include "kernels/annotation/range.h"
#include "kernels/distributed/collectives.h"
#include "kernels/training/replica_sync.h"
#include "kernels/training/trainer.h"
#include "support/statistics.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::cli {
namespace {

namespace fs = std::filesystem;
using kernels::Trainer;
using Split = kernels::TokenSequences::Split;

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
  TrainRun(const TrainOptions& options, const JobRank& rank)
      : o_(options),
        rank_(rank),
        device_(choose_device(options.device, rank.local_rank)),
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
    const kernels::TrainingOptions training =
        training_options(o_, data_.vocabulary(), device_.target == kernels::Target::cuda);
    backend_ = kernels::make_backend(device_);
    if (rank_.size > 1) {
      group_ = std::make_unique<kernels::ProcessGroup>(rank_.rank, rank_.size,
                                                       o_.rendezvous.empty()
                                                           ? rendezvous_of_environment(rank_)
                                                           : parse_rendezvous(o_.rendezvous),
                                                       agreement_of(o_, data_.fingerprint()));
      if (o_.sync == "gradients") collectives_ = kernels::make_collectives(*group_, *backend_);
    }
    trainer_ =
        std::make_unique<Trainer>(training, sequences_, *backend_,
                                  kernels::TrainerRank{rank_.rank, rank_.size, collectives_.get()});
    if (group_ && !collectives_) make_sync();
  }

  int run();

 private:
  double tokens_per_step() const { return static_cast<double>(trainer_->tokens_per_step()); }
  bool is_first() const { return rank_.rank == 0; }
  double peak_of_ranks(double of_device) const { return of_device * rank_.size; }
  double flop_per_s(double step_s) const {
    return tokens_per_step() * trainer_->options().model.training_flop_per_token(o_.sequence) /
           step_s;
  }
  std::optional<double> validate() {
    return trainer_->validate(validation_ ? *validation_ : sequences_, o_.validation_sequences);
  }
  std::unique_ptr<kernels::ProcessGroup> connect() const;
  void make_sync();
  // Returns whether to stop.
  bool synchronize(bool wants_to_stop);
  void announce() const;
  void resume();
  void save();
  void print(const kernels::StepReport& report, std::optional<double> validation_loss);
  void print_result(std::optional<double> validation_loss) const;

  const TrainOptions& o_;
  JobRank rank_;
  kernels::DeviceInfo device_;
  Peaks peaks_;
  kernels::TokenData data_;
  kernels::TokenSequences sequences_;
  std::optional<kernels::TokenData> validation_data_;
  std::optional<kernels::TokenSequences> validation_;
  std::unique_ptr<kernels::Backend> backend_;
  std::unique_ptr<kernels::ProcessGroup> group_;  // null: one rank
  std::unique_ptr<kernels::Collectives> collectives_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<kernels::ProcessGroup> exchange_;  // of sync_
  std::unique_ptr<kernels::ReplicaSync> sync_;       // null: gradients are exchanged
  std::vector<kernels::SyncReport> syncs_;
  std::vector<double> times_s_;
  kernels::StepReport last_;
  kernels::mor::Counts choices_;
};

std::unique_ptr<kernels::ProcessGroup> TrainRun::connect() const {
  const Rendezvous place =
      o_.rendezvous.empty() ? rendezvous_of_environment(rank_) : parse_rendezvous(o_.rendezvous);
  return std::make_unique<kernels::ProcessGroup>(rank_.rank, rank_.size, place,
                                                 agreement_of(o_, data_.fingerprint()));
}

void TrainRun::make_sync() {
  exchange_ = connect();
  kernels::ReplicaSyncOptions options;
  options.algorithm = *kernels::parse_sync_algorithm(o_.sync);
  options.background = !o_.foreground_sync;
  options.every = o_.sync_every;
  options.elasticity = static_cast<float>(o_.elasticity);
  options.block_momentum = static_cast<float>(o_.block_momentum);
  const kernels::Transformer& t = trainer_->transformer();
  sync_ = std::make_unique<kernels::ReplicaSync>(
      options, *group_, *exchange_, *backend_, trainer_->operations(),
      [device = device_] { return kernels::make_backend(device); },
      kernels::ReplicaWeights{t.parameters().size(), trainer_->master_weights(), t.weights()});
}

bool TrainRun::synchronize(bool wants_to_stop) {
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t done = trainer_->steps_done();
  const bool stops = sync_->between_steps(done, wants_to_stop);
  if (stops || done == o_.steps) sync_->finish(done);
  last_.time_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (const kernels::SyncReport& report : sync_->take_reports()) syncs_.push_back(report);
  return stops;
}

void TrainRun::announce() const {
  if (!is_first()) return;
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
  if (sync_) {
    say(std::to_string(rank_.size) + " replicas, synchronized every " +
        format_whole(o_.sync_every) + " steps in the " +
        (o_.foreground_sync ? "foreground" : "background") + " (" + o_.sync + ")");
  }
  if (collectives_) {
    say(std::to_string(rank_.size) + " ranks, connected with " + collectives_->name() +
        (o_.shard_optimizer ? "; the optimizer is sharded" : ""));
  }
}

void TrainRun::resume() {
  if (o_.checkpoints.empty()) return;
  fs::path newest = kernels::newest_checkpoint(o_.checkpoints);
  if (group_) newest = group_->broadcast(newest.string());  // ranks may see a folder differently
  if (newest.empty()) {
    if (o_.resume && is_first())
      say("no checkpoint in '" + o_.checkpoints + "' yet; starting at step 0");
    return;
  }
  if (!o_.resume) {
    throw std::runtime_error("'" + o_.checkpoints + "' has checkpoints, up to '" +
                             newest.filename().string() +
                             "': continue with --resume, or give another folder");
  }
  trainer_->load(newest);
  if (is_first())
    say("resumed after step " + format_whole(trainer_->steps_done()) + " from '" + newest.string() +
        "'");
}

void TrainRun::save() {
  if (o_.checkpoints.empty()) return;
  if (sync_ && !is_first()) return;
  if (is_first()) fs::create_directories(o_.checkpoints);
  trainer_->save(kernels::checkpoint_file(o_.checkpoints, trainer_->steps_done()));
  if (is_first()) kernels::remove_old_checkpoints(o_.checkpoints, o_.keep);
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
  if (peaks_.datasheet > 0) {
    line << "  MFU " << percent(flop_per_s(step_s) / peak_of_ranks(peaks_.datasheet));
  }
  if (peaks_.measured > 0) {
    line << " (" << percent(flop_per_s(step_s) / peak_of_ranks(peaks_.measured)) << " of measured)";
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
      {"ranks", "ranks", analysis::CellFormat::count, "", "Data-parallel ranks."},
      {"syncs", "syncs", analysis::CellFormat::count, "",
       "Synchronizations of the replica of rank 0."},
      {"staleness_steps", "staleness", analysis::CellFormat::number, "step",
       "Median number of steps from the copy of the weights to its synchronization."},
      {"sync_s", "sync time", analysis::CellFormat::quantity, "s",
       "Median time of a synchronization."},
      {"tokens", "tokens", analysis::CellFormat::count, "", "Tokens trained on, by all ranks."},
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
       "Model FLOP/s / BF16 peak of the GPUs' datasheet."},
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
  std::vector<double> staleness_steps, sync_times_s;
  for (const kernels::SyncReport& sync : syncs_) {
    staleness_steps.push_back(static_cast<double>(sync.staleness()));
    sync_times_s.push_back(sync.time_s);
  }
  const double staleness = syncs_.empty() ? 0 : median(staleness_steps);
  const double sync_s = syncs_.empty() ? 0 : median(sync_times_s);
  table.rows.push_back(
      {recipe, trainer_->steps_done(), std::int64_t{rank_.size},
       syncs_.empty() ? analysis::Cell() : analysis::Cell(static_cast<std::int64_t>(syncs_.size())),
       cell(!syncs_.empty(), staleness), cell(!syncs_.empty(), sync_s),
       trainer_->steps_done() * trainer_->tokens_per_step(), cell(timed, last_.loss),
       cell(validation_loss.has_value(), validation_loss.value_or(0)), cell(timed, step_s),
       cell(timed, timed ? tokens_per_step() / step_s : 0), cell(timed, rate),
       cell(timed && peaks_.datasheet > 0, rate / std::max(1.0, peak_of_ranks(peaks_.datasheet))),
       cell(timed && peaks_.measured > 0, rate / std::max(1.0, peak_of_ranks(peaks_.measured))),
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
  if (sync_) sync_->start();
  TrainingLog log(is_first() ? o_.log : "", o_.resume, trainer_->steps_done(), o_.force);
  std::optional<TrainingRecord> record;
  if (is_first() && (o_.numerics_every > 0 || !o_.record.empty())) {
    record.emplace(o_.record, o_.force);
  }
  const StopSignals signals;
  double printed_s = -1;
  std::optional<double> validation_loss;
  bool stopped = false;
  while (trainer_->steps_done() < o_.steps && !stopped) {
    const auto must_stop = [&] {
      return interrupted != 0 || (o_.time_limit_s > 0 && elapsed_s() >= o_.time_limit_s);
    };
    if (must_stop()) trainer_->request_stop();
    try {
      last_ = trainer_->step();
    } catch (const std::exception&) {
      // The step diverged; its numerics may show why.
      if (record) record->add(trainer_->numerics());
      throw;
    }
    // Ranks stop after the same step.
    stopped = sync_ ? synchronize(must_stop()) : group_ ? last_.stop : must_stop();
    times_s_.push_back(last_.time_s);
    const std::int64_t done = trainer_->steps_done();
    const bool at_end = done == o_.steps;
    validation_loss.reset();
    std::optional<kernels::mor::Counts> choices;
    if (at_end || (o_.validate_every > 0 && done % o_.validate_every == 0)) {
      choices = trainer_->take_choices();
      for (int i = 0; i < kernels::mor::kRepresentations; ++i) {
        choices_.blocks[i] += choices->blocks[i];
      }
      validation_loss = validate();
    }
    const std::int64_t tokens = done * trainer_->tokens_per_step();
    log.add(last_, validation_loss, tokens, choices);
    if (record) {
      record->add(trainer_->numerics());
      record->add({last_.step, tokens, last_.loss, validation_loss, last_.learning_rate,
                   last_.gradient_norm});
    }
    if (at_end || stopped || (o_.checkpoint_every > 0 && done % o_.checkpoint_every == 0)) save();
    if (is_first() && (at_end || stopped || validation_loss || elapsed_s() - printed_s >= 1)) {
      print(last_, validation_loss);
      printed_s = elapsed_s();
    }
  }
  for (kernels::ProcessGroup* group : {group_.get(), exchange_.get()}) {
    if (group != nullptr) group->leave();
  }
  if (!is_first()) return exit_ok;
  if (stopped && trainer_->steps_done() < o_.steps) {
    say("stopped after step " + format_whole(trainer_->steps_done()) +
        (o_.checkpoints.empty() ? "; without --checkpoints nothing is saved"
                                : "; continue with --resume"));
  }
  if (record) record->finish();
  print_result(validation_loss);
  if (record && !record->file().empty()) {
    suggest_next("mansard report " + shell_quoted(record->file().string()));
  } else if (rank_.size == 1) {
    suggest_profiling("train.sqlite");
  } else if (o_.ranks > 1) {  // otherwise another launcher's command is unknown
    suggest_profiling("train.%r.sqlite");
  }
  return interrupted != 0 ? 128 + interrupted : exit_ok;
}

int run_rank(const TrainOptions& options, const JobRank& rank) {
  if (rank.size == 1) return TrainRun(options, rank).run();
  try {
    return TrainRun(options, rank).run();
  } catch (const kernels::LostRank& loss) {
    const bool saves = options.checkpoint_every > 0;
    throw std::runtime_error("rank " + std::to_string(rank.rank) + " stops: " + loss.what() +
                             (saves ? "; continue from the last checkpoint with --resume" : ""));
  } catch (const UsageError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("rank " + std::to_string(rank.rank) + ": " + error.what());
  }
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
    if (options.sync != "gradients" && options.shard_optimizer) {
      throw UsageError("--shard-optimizer needs --sync gradients: a replica has all weights");
    }
    const std::optional<JobRank> rank = job_rank_of_environment();
    if (!rank && options.ranks > 1) return run_ranks(options.ranks);
    if (rank && options.ranks > 1 && options.ranks != rank->size) {
      throw UsageError("--ranks " + std::to_string(options.ranks) + ": " + rank->launcher +
                       " has started " + std::to_string(rank->size) + " ranks");
    }
    return run_rank(options, rank.value_or(JobRank{}));
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

}  // namespace mansard::cli
