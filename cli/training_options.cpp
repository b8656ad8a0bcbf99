// SPDX-License-Identifier: Apache-2.0
#include "cli/training_options.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "cli/command.h"

namespace mansard::cli {
namespace {

kernels::TransformerModel trained_model(const TrainOptions& o, std::int64_t vocabulary) {
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

}  // namespace

kernels::TrainingOptions training_options(const TrainOptions& o, std::int64_t vocabulary,
                                          bool gpu) {
  kernels::TrainingOptions t;
  t.model = trained_model(o, vocabulary);
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
  t.optimizer.beta1 = static_cast<float>(o.beta1);
  t.optimizer.beta2 = static_cast<float>(o.beta2);
  t.optimizer.weight_decay = static_cast<float>(o.weight_decay);
  t.optimizer.max_norm = static_cast<float>(o.clip);
  t.optimizer.sharded = o.shard_optimizer;
  t.optimizer.overlap = !o.no_overlap;
  t.optimizer.bucket_bytes = static_cast<std::int64_t>(o.bucket_mib.value_or(0) * (1 << 20));
  t.seed = o.seed;
  t.transformer.seed = o.rounding_seed.value_or(o.seed);
  t.graph = gpu && !o.eager;
  t.operations = {!o.no_cudnn, o.deterministic};
  t.numerics_every = o.numerics_every;
  return t;
}

LaunchOptions launch_options(const TrainOptions& o) {
  LaunchOptions launch;
  launch.ranks = o.ranks;
  launch.most_restarts = o.max_restarts;
  launch.kill_every_s = o.kill_every_s;
  launch.seed = o.seed;
  for (const std::string& text : o.kills) {
    RankKill kill;
    const char* const end = text.data() + text.size();
    const auto rank = std::from_chars(text.data(), end, kill.rank);
    const bool has_at = rank.ec == std::errc{} && rank.ptr != end && *rank.ptr == '@';
    if (!has_at || std::from_chars(rank.ptr + 1, end, kill.after_steps).ptr != end ||
        kill.after_steps < 1 || kill.rank < 0 || kill.rank >= o.ranks) {
      throw UsageError("--kill '" + text +
                       "': give a rank below --ranks and a step above 0, such "
                       "as 1@50");
    }
    launch.kills.push_back(kill);
  }
  if (o.sync != "gradients" && o.shard_optimizer) {
    throw UsageError("--shard-optimizer needs --sync gradients: a replica has all weights");
  }
  if (o.save_rows != "none" && o.recovery != "partial") {
    throw UsageError("--save-rows " + o.save_rows +
                     " is for --recovery partial: in a full one, all "
                     "ranks return to the state of one step");
  }
  if (o.recovery == "none") return launch;
  if (o.checkpoints.empty()) {
    throw UsageError("--recovery " + o.recovery + " needs --checkpoints FOLDER to recover from");
  }
  if (o.recovery == "full") {
    if (o.checkpoint_every == 0 && !o.mtbf_hours) {
      throw UsageError(
          "--recovery full needs checkpoints to return to: give --checkpoint-every or "
          "--mtbf-hours");
    }
    launch.recovery = analysis::Recovery::full;
  } else {
    if (o.sync == "gradients") {
      throw UsageError(
          "--recovery partial needs replicas that train on without the failed one: "
          "--sync easgd, average or bmuf; with --sync gradients, use full");
    }
    if (o.ranks == 1) throw UsageError("--recovery partial needs --ranks 2 or more");
    launch.recovery = analysis::Recovery::partial;
  }
  return launch;
}

kernels::Transport transport_of(const TrainOptions& o) {
  return *kernels::parse_transport(o.transport);
}

std::string agreement_of(const TrainOptions& o, std::uint64_t data_fingerprint) {
  std::ostringstream text;
  text << o.model << ' ' << o.layers << 'x' << o.hidden << '/' << o.heads << '/' << o.kv_heads
       << '/' << o.head_size << '/' << o.ffn << ' ' << o.blocks << ", vocabulary " << o.vocabulary
       << ", recipe " << o.recipe << ' ' << o.then << ' ' << o.bf16_first << '/' << o.bf16_last
       << ' ' << o.no_hadamard << o.no_stochastic_rounding << o.weights_1d << ' ' << o.mor_threshold
       << ", batch " << o.batch << 'x' << o.sequence << 'x' << o.micro_batches << ", steps "
       << o.steps << ' ' << o.schedule << ' ' << o.learning_rate << '/' << o.warmup << '/'
       << o.final_fraction << '/' << o.decay_fraction << ", AdamW " << o.beta1 << '/' << o.beta2
       << '/' << o.weight_decay << '/' << o.clip << ", seed " << o.seed << ", sharded "
       << o.shard_optimizer << ", overlap " << !o.no_overlap << ", transport " << o.transport
       << ", buckets " << o.bucket_mib.value_or(0) << ", synchronization " << o.sync << '/'
       << o.foreground_sync << '/' << o.sync_every << '/' << o.elasticity << '/' << o.block_momentum
       << '/' << o.block_rate.value_or(0) << ", graph " << !o.eager << ", numerics "
       << o.numerics_every << ", validation " << o.validate_every << '/' << o.validation_sequences
       << ", checkpoints " << !o.checkpoints.empty() << '/' << o.checkpoint_every << '/' << o.resume
       << ", recovery " << o.recovery << '/' << o.recover_from << '/' << o.save_rows << '/'
       << o.row_share << '/' << o.mtbf_hours.value_or(0) << ", device " << o.device << ", data "
       << data_fingerprint;
  return text.str();
}

}  // namespace mansard::cli
