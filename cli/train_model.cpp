// SPDX-License-Identifier: Apache-2.0
#include "cli/train_model.h"

#include <atomic>
#include <cmath>
#include <iostream>

#include "cli/checkpoint_plan.h"
#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/job_board.h"
#include "cli/output.h"
#include "cli/peak_rates.h"
#include "cli/rank_launcher.h"
#include "cli/run_options.h"
#include "cli/stop_signals.h"
#include "cli/training_log.h"
#include "cli/training_options.h"
#include "cli/training_record.h"
#include "cli/training_result.h"
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
using kernels::ProcessGroup;
using kernels::Trainer;
using Split = kernels::TokenSequences::Split;

class TrainRun {
 public:
  TrainRun(const TrainOptions& options, const JobRank& rank, JobBoard& board)
      : o_(options),
        rank_(rank),
        device_(choose_device(options.device, rank.local_rank)),
        board_(board),
        recovery_(board_.own_recovery()),
        peaks_(peak_rates(device_, options.machine)),
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
            "the validation data has " + std::to_string(validation_data_->vocabulary()) +
            " different tokens, the training data " + std::to_string(data_.vocabulary()));
      }
    }
    const kernels::TrainingOptions training =
        training_options(o_, data_.vocabulary(), device_.target == kernels::Target::cuda);
    backend_ = kernels::make_backend(device_);
    if (rank_.size > 1) {
      group_ = is_partial_recovery() ? connect_again(false, false) : connect();
      if (o_.sync == "gradients")
        collectives_ = kernels::make_collectives(*group_, *backend_, transport_of(o_));
    }
    trainer_ =
        std::make_unique<Trainer>(training, sequences_, *backend_,
                                  kernels::TrainerRank{rank_.rank, rank_.size, collectives_.get()});
  }

  int run();

 private:
  double tokens_per_step() const { return static_cast<double>(trainer_->tokens_per_step()); }
  bool is_first() const { return rank_.rank == 0; }
  // For the launcher, and for a process that replaces this one.
  RankProgress& progress() const { return board_.progress(rank_.rank); }
  double peak_of_ranks(double of_device) const { return of_device * rank_.size; }
  double flop_per_step() const {
    return tokens_per_step() * trainer_->options().model.training_flop_per_token(o_.sequence);
  }
  std::optional<double> validate() {
    return trainer_->validate(validation_ ? *validation_ : sequences_, o_.validation_sequences);
  }
  bool is_partial_recovery() const { return recovery_ != nullptr && recovery_->is_partial; }
  Rendezvous rendezvous() const;
  std::unique_ptr<ProcessGroup> connect() const;
  std::unique_ptr<ProcessGroup> connect_again(bool others_may_be_absent,
                                              const std::atomic<bool>& canceled) const;
  // Where this rank's state is saved for partial recovery.
  fs::path own_checkpoints() const;
  void make_sync();
  void start_sync();
  // Returns whether to stop.
  bool synchronize(bool wants_to_stop);
  void announce() const;
  void resume();
  bool restore_own();
  void save(CheckpointPlan& plan, bool ends);
  TrainingResult result(std::optional<double> validation_loss) const;

  const TrainOptions& o_;
  JobRank rank_;
  kernels::DeviceInfo device_;
  JobBoard& board_;
  RecoveryRecord* recovery_;  // that this process was started for; null: none
  PeakRates peaks_;
  kernels::TokenData data_;
  kernels::TokenSequences sequences_;
  std::optional<kernels::TokenData> validation_data_;
  std::optional<kernels::TokenSequences> validation_;
  std::unique_ptr<kernels::Backend> backend_;
  std::unique_ptr<ProcessGroup> group_;  // null: one rank, or it is that of sync_
  std::unique_ptr<kernels::Collectives> collectives_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<kernels::ReplicaSync> sync_;  // null: gradients are exchanged
  std::optional<int> missing_rank_;
  std::vector<kernels::SyncReport> syncs_;
  std::vector<double> times_s_, save_times_s_;
  kernels::StepReport last_;
  kernels::mor::Counts choices_;
};

Rendezvous TrainRun::rendezvous() const {
  return o_.rendezvous.empty() ? rendezvous_of_environment(rank_) : parse_rendezvous(o_.rendezvous);
}

std::unique_ptr<ProcessGroup> TrainRun::connect() const {
  const Rendezvous place = rendezvous();
  auto group = std::async(std::launch::async, [&] {
    return std::make_unique<ProcessGroup>(rank_.rank, rank_.size, place,
                                          agreement_of(o_, data_.fingerprint()));
  });
  if (group.wait_for(std::chrono::seconds(10)) == std::future_status::timeout) {
    say("rank " + std::to_string(rank_.rank) + " waits for the others at " + place.text());
  }
  return group.get();
}

std::unique_ptr<ProcessGroup> TrainRun::connect_again(bool others_may_be_absent,
                                                      const std::atomic<bool>& canceled) const {
  return ProcessGroup::connect_again(rank_.rank, rank_.size, rendezvous(),
                                     agreement_of(o_, data_.fingerprint()), others_may_be_absent,
                                     canceled);
}

void TrainRun::make_sync() {
  kernels::ReplicaSyncOptions options;
  options.algorithm = *kernels::parse_sync_algorithm(o_.sync);
  options.background = !o_.foreground_sync;
  options.transport = transport_of(o_);
  options.every = o_.sync_every;
  options.elasticity = static_cast<float>(o_.elasticity);
  options.block_momentum = static_cast<float>(o_.block_momentum);
  options.block_rate = static_cast<float>(o_.block_rate.value_or(1 - o_.block_momentum));
  kernels::ReplicaSync::Reconnect reconnect;
  if (o_.recovery == "partial") {
    reconnect = [this](auto&&... arguments) { return connect_again(arguments...); };
  }
  const kernels::Transformer& t = trainer_->transformer();
  sync_ = std::make_unique<kernels::ReplicaSync>(
      options, std::move(group_), reconnect, *backend_, trainer_->operations(),
      [device = device_] { return kernels::make_backend(device); },
      kernels::ReplicaWeights{t.parameters().size(), trainer_->master_weights(), t.weights()});
}

// After loading. The others may be training already.
void TrainRun::start_sync() {
  const bool has_own_state = trainer_->steps_done() > 0;
  const bool takes_mean = is_partial_recovery() && (o_.recover_from == "mean" || !has_own_state);
  const std::int64_t steps = sync_->start(trainer_->steps_done(), takes_mean);
  if (!is_partial_recovery()) return;
  recovery_->restored = takes_mean ? progress().shared_steps.load() : trainer_->steps_done();
  trainer_->skip_to(steps);
}

bool TrainRun::synchronize(bool wants_to_stop) {
  const double start_s = steady_now_s();
  const std::int64_t done = trainer_->steps_done();
  const bool stops = sync_->between_steps(done, wants_to_stop);
  if (stops || done == o_.steps) sync_->finish(done);
  last_.time_s += steady_now_s() - start_s;
  for (const kernels::SyncReport& report : sync_->take_reports()) {
    syncs_.push_back(report);
    progress().shared_steps = report.copied_after;
  }
  const std::optional<int> missing = sync_->missing_rank();
  if (missing != std::exchange(missing_rank_, missing) && is_first()) {
    say(missing ? "rank " + std::to_string(*missing) + " is lost; the others go on without it"
                : "all ranks are connected again after step " + format_whole(done));
  }
  return stops;
}

void TrainRun::announce() const {
  if (!is_first() || recovery_ != nullptr) return;
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
  if (group_ && !collectives_) {
    say(std::to_string(rank_.size) + " replicas, synchronized every " +
        format_whole(o_.sync_every) + " steps in the " +
        (o_.foreground_sync ? "foreground" : "background") + " (" + o_.sync + ")");
  }
  if (collectives_) {
    say(std::to_string(rank_.size) + " ranks, connected with " + collectives_->name() +
        (o_.shard_optimizer ? "; the optimizer is sharded" : ""));
  }
}

fs::path TrainRun::own_checkpoints() const {
  const fs::path all = o_.checkpoints;
  return is_first() ? all : all / ("replica-" + std::to_string(rank_.rank));
}

// Returns whether there was a state.
bool TrainRun::restore_own() {
  const kernels::RestoredState state = trainer_->restore(own_checkpoints());
  for (const std::string& reason : state.skipped) say(reason + "; it is skipped");
  if (state.checkpoint.empty()) return false;
  say("resumed after step " + format_whole(state.step) + " from '" + state.checkpoint.string() +
      "'" +
      (state.rows_step > state.step
           ? ", with rows of the embedding after step " + format_whole(state.rows_step)
           : ""));
  return true;
}

void TrainRun::resume() {
  if (o_.checkpoints.empty()) return;
  fs::path newest = kernels::newest_checkpoint(o_.checkpoints);
  if (is_partial_recovery()) {
    if (restore_own()) return;
  } else if (group_) {
    newest = group_->broadcast(newest.string());  // ranks may see a folder differently
  }
  const bool resumes = o_.resume || recovery_ != nullptr;
  if (newest.empty()) {
    if (resumes && is_first())
      say("no checkpoint in '" + o_.checkpoints + "' yet; starting at step 0");
    return;
  }
  if (!resumes) {
    throw std::runtime_error("'" + o_.checkpoints + "' has checkpoints, up to '" +
                             newest.filename().string() +
                             "': continue with --resume, or give another folder");
  }
  trainer_->load(newest);
  // Rows of a run that has been further.
  for (const fs::path& rows : kernels::newer_row_files(own_checkpoints())) fs::remove(rows);
  if (is_first() || is_partial_recovery())
    say("resumed after step " + format_whole(trainer_->steps_done()) + " from '" + newest.string() +
        "'");
}

void TrainRun::save(CheckpointPlan& plan, bool ends) {
  const std::int64_t done = trainer_->steps_done();
  if (!ends && !plan.is_due(done)) {
    if (plan.are_rows_due(done)) trainer_->save_rows(kernels::row_file(own_checkpoints(), done));
    return;
  }
  const bool saves_replicas = sync_ && o_.recovery == "partial";
  if (o_.checkpoints.empty() || (sync_ && !saves_replicas && !is_first())) return;
  const double start_s = steady_now_s();
  const fs::path folder = saves_replicas ? own_checkpoints() : fs::path(o_.checkpoints);
  const bool writes = is_first() || saves_replicas;
  if (writes) fs::create_directories(folder);
  trainer_->save(kernels::checkpoint_file(folder, done));
  if (writes) kernels::remove_old_checkpoints(folder, o_.keep);
  save_times_s_.push_back(steady_now_s() - start_s);
  ++progress().saves;
  progress().save_ns += std::llround(1e9 * save_times_s_.back());
  if (ends) return;
  const std::int64_t interval = plan.saved(done, median(save_times_s_), median(times_s_));
  if (interval > 0 && is_first()) {
    const double interval_s = static_cast<double>(interval) * median(times_s_);
    say("saving a checkpoint every " + format_whole(interval) + " steps (" +
        format_si(interval_s, "s") + "): a save takes " + format_si(median(save_times_s_), "s") +
        ", and a rank fails every " + format_si(3600 * *o_.mtbf_hours / rank_.size, "s"));
  }
  if (group_ && o_.mtbf_hours) {  // all save after the same step
    plan.set_next(std::stoll(group_->broadcast(std::to_string(plan.next()))));
  }
}

TrainingResult TrainRun::result(std::optional<double> validation_loss) const {
  TrainingResult r;
  r.model = trainer_->options().model.name;
  r.device = device_.name;
  for (const kernels::RecipePhase& phase : trainer_->options().phases) {
    if (phase.first_step < trainer_->steps_done() || r.recipe.empty()) {
      r.recipe = to_string(phase.plan.recipe);
    }
  }
  r.steps_done = trainer_->steps_done();
  r.steps = o_.steps;
  r.ranks = rank_.size;
  r.tokens_per_step = trainer_->tokens_per_step();
  r.loss = last_.loss;
  r.validation_loss = validation_loss;
  r.step_times_s = times_s_;
  r.flop_per_step = flop_per_step();
  r.peak_flop_per_s = peak_of_ranks(peaks_.datasheet);
  r.measured_peak_flop_per_s = peak_of_ranks(peaks_.measured);
  r.choices = choices_;
  r.syncs = syncs_;
  r.saves = progress().saves;
  r.save_s = 1e-9 * static_cast<double>(progress().save_ns);
  const std::span<RecoveryRecord> recoveries = board_.recoveries();
  r.recoveries = {recoveries.begin(), recoveries.end()};
  return r;
}

int TrainRun::run() {
  const double start_s = steady_now_s();
  const auto elapsed_s = [&] { return steady_now_s() - start_s; };
  announce();
  if (o_.save_rows != "none") {
    trainer_->track_rows({*kernels::parse_row_priority(o_.save_rows), o_.row_share, o_.seed});
  }
  const bool records_recovery = is_partial_recovery() || (recovery_ != nullptr && is_first());
  if (records_recovery) recovery_->ready_s = steady_now_s();
  resume();
  if (records_recovery) {
    recovery_->loaded_s = steady_now_s();
    recovery_->restored = trainer_->steps_done();
  }
  if (group_ && !collectives_) {
    make_sync();
    start_sync();
  }
  progress().steps_done = trainer_->steps_done();
  progress().continued_after = trainer_->steps_done();
  progress().shared_steps = trainer_->steps_done();
  progress().has_started = true;
  if (records_recovery) {
    recovery_->continued = trainer_->steps_done();
    recovery_->continued_s = steady_now_s();
    if (is_partial_recovery()) {
      say("rank " + std::to_string(rank_.rank) + " continues after step " +
          format_whole(recovery_->continued) + ", " +
          format_si(recovery_->continued_s - recovery_->failed_s, "s") + " after its failure");
    }
  }
  CheckpointPlan plan(o_, rank_.size, trainer_->steps_done());
  const bool restarted = recovery_ != nullptr;
  TrainingLog log(is_first() ? o_.log : "", o_.resume || restarted, trainer_->steps_done(),
                  o_.force);
  std::optional<TrainingRecord> record;
  if (is_first() && (o_.numerics_every > 0 || !o_.record.empty())) {
    record.emplace(o_.record, o_.force || restarted);
  }
  const StopSignals signals;
  double printed_s = -1;
  std::optional<double> validation_loss;
  bool stopped = false;
  while (trainer_->steps_done() < o_.steps && !stopped) {
    const auto must_stop = [&] {
      return StopSignals::received() != 0 ||
             (o_.time_limit_s > 0 && elapsed_s() >= o_.time_limit_s);
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
    progress().steps_done = trainer_->steps_done();
    ++progress().process_steps;
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
    save(plan, at_end || stopped);
    if (is_first() && (at_end || stopped || validation_loss || elapsed_s() - printed_s >= 1)) {
      say(progress_line(result(validation_loss), last_.gradient_norm));
      printed_s = elapsed_s();
    }
  }
  if (times_s_.empty()) {  // all steps were done before this process
    if (sync_) {
      sync_->finish(o_.steps);
      save(plan, true);
    }
    validation_loss = validate();
  }
  if (sync_) sync_->leave(trainer_->steps_done());
  if (group_) {
    group_->barrier();  // until then, a rank that fails can be started again
    group_->leave();
  }
  progress().has_left = true;
  if (!is_first()) return exit_ok;
  if (stopped && trainer_->steps_done() < o_.steps) {
    say("stopped after step " + format_whole(trainer_->steps_done()) +
        (o_.checkpoints.empty() ? "; without --checkpoints nothing is saved"
                                : "; continue with --resume"));
  }
  if (record) record->finish();
  std::cout << reports::render({training_finding(result(validation_loss))}, format_of(o_.format),
                               render_options());
  if (record && !record->file().empty()) {
    suggest_next("mansard report " + shell_quoted(record->file().string()));
  } else if (rank_.size == 1) {
    suggest_profiling("train.sqlite");
  } else if (o_.ranks > 1) {  // otherwise another launcher's command is unknown
    suggest_profiling("train.%r.sqlite");
  }
  const int signal = StopSignals::received();
  return signal != 0 ? 128 + signal : exit_ok;
}

int run_rank(const TrainOptions& options, const JobRank& rank, JobBoard& board) {
  if (rank.size == 1) return TrainRun(options, rank, board).run();
  try {
    return TrainRun(options, rank, board).run();
  } catch (const kernels::LostRank& loss) {
    if (options.recovery == "none") {  // otherwise, the launcher tells what happens
      say("rank " + std::to_string(rank.rank) + " stops: " + loss.what() +
          (options.checkpoint_every > 0 ? "; continue from the last checkpoint with --resume"
                                        : ""));
    }
    return exit_lost_rank;
  } catch (const UsageError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error("rank " + std::to_string(rank.rank) + ": " + error.what());
  }
}

}  // namespace

int train_model(const TrainOptions& options) {
  try {
    std::unique_ptr<JobBoard> board = JobBoard::of_environment();
    const bool restarted = board && board->own_recovery() != nullptr;
    if (!options.record.empty()) require_record(options.record, options.force || restarted);
    if (options.numerics_every > 0 && options.record.empty() &&
        !kernels::annotation_tool_attached()) {
      throw UsageError(
          "--numerics measures for --record FILE or for a profiler, and there is neither: give "
          "--record, or run 'mansard profile -o FILE -- " +
          invocation() + "'");
    }
    const std::optional<JobRank> rank = job_rank_of_environment();
    const LaunchOptions launch = launch_options(options);
    const bool needs_launcher = launch.recovery || !launch.kills.empty() || launch.kill_every_s > 0;
    // A launcher may start this command once per host.
    const bool is_rank = board || (rank && rank->size > 1);
    if (!is_rank && (options.ranks > 1 || needs_launcher)) return run_ranks(launch);
    if (is_rank && !board && needs_launcher) {
      throw UsageError("--recovery and --kill are for ranks that --ranks starts; " +
                       rank->launcher + " restarts its ranks itself: use --resume");
    }
    if (is_rank && options.ranks > 1 && options.ranks != rank->size) {
      throw UsageError("--ranks " + std::to_string(options.ranks) + ": " + rank->launcher +
                       " has started " + std::to_string(rank->size) + " ranks");
    }
    // Without a launcher of this program, nothing outlives the process.
    if (!board) board = std::make_unique<JobBoard>(rank ? rank->size : 1, 0);
    return run_rank(options, rank.value_or(JobRank{}), *board);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

}  // namespace mansard::cli
