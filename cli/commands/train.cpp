// SPDX-License-Identifier: Apache-2.0
// `mansard train`: pretrains a transformer in a precision recipe.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/number_checks.h"
#include "cli/train_model.h"
#include "kernels/recipes/recipe.h"
#include "kernels/recipes/workloads.h"

namespace mansard::cli {
namespace {

std::vector<std::string> model_names() {
  std::vector<std::string> names = {"llama"};
  for (const kernels::TransformerModel& model : kernels::transformer_models()) {
    names.push_back(model.name);
  }
  return names;
}

void declare_model(CLI::App& app, TrainOptions& o) {
  app.add_option("--model", o.model, "A known model, or 'llama' with the sizes below")
      ->check(CLI::IsMember(model_names()))
      ->capture_default_str();
  app.add_option("--layers", o.layers, "Blocks of attention and feed-forward part")
      ->check(above_zero())
      ->capture_default_str();
  app.add_option("--hidden", o.hidden, "Width of the residual stream")
      ->check(above_zero())
      ->capture_default_str();
  app.add_option("--heads", o.heads, "Attention heads")->check(above_zero())->capture_default_str();
  app.add_option("--kv-heads", o.kv_heads, "Heads of keys and values [default: --heads]")
      ->check(above_zero());
  app.add_option("--head-size", o.head_size, "Width of a head [default: --hidden / --heads]")
      ->check(above_zero());
  app.add_option("--ffn", o.ffn,
                 "Width of the feed-forward part [default: 8/3 of --hidden, a multiple of 256]")
      ->check(above_zero());
  app.add_option("--blocks", o.blocks,
                 "Irregular blocks in the notation of Llama-Nemotron, instead of --layers and "
                 "--ffn: '2xA5.25 1x-2.625 1xNone' (A: attention, -: none, number: FFN multiplier)")
      ->excludes("--layers")
      ->excludes("--ffn");
  app.add_option("--vocabulary", o.vocabulary,
                 "Rows of the embedding and the LM head [default: the tokens of the data]")
      ->check(above_zero());
}

void declare_training(CLI::App& app, TrainOptions& o) {
  app.add_option("--recipe", o.recipe, "Precision recipe of the linear layers in the blocks")
      ->check(CLI::IsMember(kernels::recipe_names()))
      ->capture_default_str();
  app.add_option("--bf16-first", o.bf16_first, "First blocks that stay in BF16")
      ->check(zero_or_more())
      ->capture_default_str();
  app.add_option("--bf16-last", o.bf16_last, "Last blocks that stay in BF16")
      ->check(zero_or_more())
      ->capture_default_str();
  app.add_flag("--no-hadamard", o.no_hadamard,
               "NVFP4 without the Hadamard transform of wgrad's operands");
  app.add_flag("--no-stochastic-rounding", o.no_stochastic_rounding,
               "NVFP4 with gradients rounded to nearest");
  app.add_flag("--weights-1d", o.weights_1d, "NVFP4 with weights in blocks of 1x16, not 16x16");
  app.add_flag("--separate-amax", o.separate_amax,
               "FP8: find the amax of x and dy in kernels of their own, not in those that write "
               "them; results are the same");
  app.add_option("--mor-threshold", o.mor_threshold,
                 "MoR: largest relative error of a tensor or block in FP8; above, it stays in BF16")
      ->check(zero_or_more())
      ->capture_default_str();
  app.add_option("--then", o.then, "Another recipe from a step on: RECIPE@STEP, such as bf16@900");
  app.add_option("--batch", o.batch, "Sequences per micro-batch")
      ->check(above_zero())
      ->capture_default_str();
  app.add_option("--sequence", o.sequence, "Tokens per sequence")
      ->check(above_zero())
      ->capture_default_str();
  app.add_option("--micro-batches", o.micro_batches,
                 "Micro-batches per step, whose gradients are accumulated")
      ->check(above_zero())
      ->capture_default_str();
  app.add_option("--steps", o.steps, "Steps of the whole run, also when resumed")
      ->check(above_zero())
      ->capture_default_str();
  app.add_option("--learning-rate", o.learning_rate, "Peak of the learning rate")
      ->check(above_zero())
      ->capture_default_str();
  app.add_option("--schedule", o.schedule, "Shape of the learning rate after the warm-up")
      ->check(CLI::IsMember({"cosine", "wsd", "constant"}))
      ->capture_default_str();
  app.add_option("--warmup", o.warmup, "Steps of linear warm-up")
      ->check(zero_or_more())
      ->capture_default_str();
  app.add_option("--final-fraction", o.final_fraction,
                 "Learning rate of the last step, as a fraction of the peak")
      ->check(zero_or_more())
      ->capture_default_str();
  app.add_option("--decay-fraction", o.decay_fraction, "Last part of the steps that decays (wsd)")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--weight-decay", o.weight_decay, "Weight decay of matrices (AdamW)")
      ->check(zero_or_more())
      ->capture_default_str();
  app.add_option("--beta1", o.beta1, "Decay of the first moment (AdamW)")
      ->check(CLI::Range(0.0, 0.9999))
      ->capture_default_str();
  app.add_option("--beta2", o.beta2, "Decay of the second moment (AdamW)")
      ->check(CLI::Range(0.0, 0.99999))
      ->capture_default_str();
  app.add_option("--clip", o.clip, "Largest norm of the gradient; 0: no clipping")
      ->check(zero_or_more())
      ->capture_default_str();
  app.add_option("--seed", o.seed, "Seed of weights, data order and stochastic rounding")
      ->capture_default_str();
  app.add_option("--rounding-seed", o.rounding_seed,
                 "Another seed of stochastic rounding, to measure its effect on the loss");
}

void declare_ranks(CLI::App& app, TrainOptions& o) {
  app.add_option("--ranks", o.ranks,
                 "Start this many data-parallel ranks on this host, one per GPU; torchrun, mpirun "
                 "and srun start them too. Each reads --micro-batches of its own per step")
      ->check(above_zero())
      ->capture_default_str();
  app.add_option("--rendezvous", o.rendezvous,
                 "Where the ranks connect to rank 0 [default: from the launcher's variables]")
      ->type_name("HOST:PORT");
  app.add_flag("--shard-optimizer", o.shard_optimizer,
               "Each rank keeps 1/ranks of the FP32 weights and moments (ZeRO-1)");
  app.add_option("--transport", o.transport,
                 "What exchanges arrays between GPUs: copy-engines (GPUs of one host; GEMMs keep "
                 "their SMs), nccl, or auto: copy engines if they connect all ranks, else NCCL")
      ->check(CLI::IsMember({"auto", "copy-engines", "nccl"}))
      ->capture_default_str();
  app.add_option("--bucket-mib", o.bucket_mib,
                 "Gradients that ranks exchange at once, in MiB [default: 32 with copy engines, "
                 "otherwise 256]")
      ->check(above_zero());
  app.add_option(
         "--sync", o.sync,
         "gradients: all ranks have the same weights. Otherwise each rank trains a replica, "
         "and replicas are drawn together in the background (ShadowSync): easgd: towards a "
         "center in the memory of this host; average: towards their mean; bmuf: towards a "
         "global model with block momentum")
      ->check(CLI::IsMember({"gradients", "easgd", "average", "bmuf"}))
      ->capture_default_str();
  app.add_option("--sync-every", o.sync_every, "Replicas: steps between synchronizations")
      ->check(above_zero())
      ->capture_default_str();
  app.add_option("--elasticity", o.elasticity,
                 "Replicas: fraction of the way to the target at each synchronization")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--block-momentum", o.block_momentum, "Momentum of the global model (bmuf)")
      ->check(CLI::Range(0.0, 0.99))
      ->capture_default_str();
  app.add_option(
         "--block-rate", o.block_rate,
         "Share of the difference between mean and global model that is added to the momentum "
         "(bmuf) [default: 1 - --block-momentum, so that steps keep their length]")
      ->check(above_zero());
  app.add_flag("--foreground-sync", o.foreground_sync,
               "Replicas wait while they are synchronized, to see what the background hides");
  app.add_flag("--no-overlap", o.no_overlap,
               "Exchange gradients after backward, not while it runs, to see what overlap hides");
}

void declare_recovery(CLI::App& app, TrainOptions& o) {
  app.add_option("--recovery", o.recovery,
                 "After a failure of a process: none: the job ends; full: all ranks start again "
                 "from the last checkpoint; partial (with --sync easgd, average "
                 "or bmuf): only this rank starts again, and the others go on meanwhile (CPR)")
      ->check(CLI::IsMember({"none", "full", "partial"}))
      ->capture_default_str();
  app.add_option(
         "--recover-from", o.recover_from,
         "Partial recovery: the rank continues with the mean of the other replicas, or with "
         "its own last checkpoint")
      ->check(CLI::IsMember({"mean", "checkpoint"}))
      ->capture_default_str();
  app.add_option(
         "--save-rows", o.save_rows,
         "Partial recovery: between checkpoints, save the most important rows of the embedding: "
         "mfu: those accessed most (CPR-MFU); ssu: those among every second access (CPR-SSU); "
         "scar: those that changed most, which needs a copy of the table on the host")
      ->check(CLI::IsMember({"none", "mfu", "ssu", "scar"}))
      ->capture_default_str();
  app.add_option("--row-share", o.row_share,
                 "Share of the rows in a file, which is saved after this share of the interval of "
                 "checkpoints")
      ->check(CLI::Range(0.001, 1.0))
      ->capture_default_str();
  app.add_option("--max-restarts", o.max_restarts, "Failures that are recovered from")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  auto* mtbf = app.add_option("--mtbf-hours", o.mtbf_hours,
                              "Mean time between failures of one rank, from which the interval of "
                              "checkpoints is chosen, with the measured time of a save")
                   ->check(above_zero())
                   ->excludes("--checkpoint-every");
  app.add_option("--max-lost-samples", o.max_lost_samples,
                 "Partial recovery: expected share of samples that may be lost, for the interval")
      ->check(CLI::Range(1e-9, 0.999))
      ->capture_default_str()
      ->needs(mtbf);
  app.add_option("--kill", o.kills, "Kill a rank when it has done this many steps, as a failure")
      ->type_name("RANK@STEP");
  app.add_option("--kill-every", o.kill_every_s,
                 "Kill random ranks with this mean time between kills in seconds (exponential)")
      ->check(above_zero());
}

void declare_run(CLI::App& app, TrainOptions& o) {
  app.add_option("--validation-data", o.validation_data,
                 "Data for validation [default: every 50th sequence of --data]");
  app.add_option("--validate-every", o.validate_every,
                 "Steps between validations [default: only after the last step]")
      ->check(above_zero());
  app.add_option("--validation-sequences", o.validation_sequences, "Sequences per validation")
      ->check(above_zero())
      ->capture_default_str();
  auto* folder = app.add_option("--checkpoints", o.checkpoints,
                                "Folder for checkpoints (safetensors), created if missing");
  app.add_option("--checkpoint-every", o.checkpoint_every,
                 "Steps between checkpoints [default: only after the last step]")
      ->check(above_zero())
      ->needs(folder);
  app.add_option("--keep", o.keep, "Newest checkpoints to keep")
      ->check(above_zero())
      ->capture_default_str()
      ->needs(folder);
  app.add_flag("--resume", o.resume, "Continue from the newest checkpoint of the folder, if any")
      ->needs(folder);
  app.add_option("--time-limit", o.time_limit_s,
                 "Stop after this many seconds, with a checkpoint if there is a folder")
      ->check(above_zero());
  app.add_option("--log", o.log, "CSV file with loss, gradient norm and time of each step");
  app.add_option("--numerics", o.numerics_every,
                 "Measure every N steps how well quantized tensors represent their sources "
                 "(--record, or under a profiler)")
      ->check(above_zero())
      ->type_name("N");
  app.add_option("--record", o.record,
                 "Profile of the loss of each step and of --numerics, for 'mansard report'; "
                 "patterns as in 'mansard profile -o'")
      ->type_name("FILE");
  app.add_flag("-f,--force", o.force, "Replace the log and the record");
  app.add_flag("--recompute", o.recompute,
               "Compute activations again in backward, to save their memory");
  app.add_flag("--eager", o.eager, "Launch each kernel instead of a CUDA graph per step");
  app.add_flag("--deterministic", o.deterministic, "Equal losses in every run, bit for bit");
  app.add_flag("--no-cudnn", o.no_cudnn, "Use Mansard's attention kernels instead of cuDNN");
  app.add_option("--device", o.device, "Device to run on; auto: the first GPU if there is one")
      ->check(CLI::IsMember({"auto", "gpu", "cpu"}))
      ->capture_default_str();
  app.add_option(
      "--machine", o.machine,
      "Machine model of this machine, to show MFU relative to its measured BF16 ceiling");
  add_format_option(app, o.format);
}

}  // namespace

void register_train(CommandRegistry& registry) {
  Command command;
  command.name = "train";
  command.summary = "Pretrain a transformer in a precision recipe, to profile and explain it";
  command.order = 22;
  command.declare = [](CLI::App& app) -> std::function<int()> {
    auto o = std::make_shared<TrainOptions>();
    app.add_option("--data", o->data,
                   "Training data: a text file or a folder of text (tokens are bytes), or token "
                   "files in llm.c's format")
        ->required();
    declare_model(app, *o);
    declare_training(app, *o);
    declare_ranks(app, *o);
    declare_run(app, *o);
    declare_recovery(app, *o);
    return [o] { return train_model(*o); };
  };
  registry.add(std::move(command));
}

}  // namespace mansard::cli
