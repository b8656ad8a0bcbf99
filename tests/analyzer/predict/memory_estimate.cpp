// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/memory_estimate.h"

#include <gtest/gtest.h>

#include "analyzer/predict/published_steps.h"
#include "tests/analyzer/predict/job_of.h"

namespace mansard::analysis {
namespace {

MemoryEstimate memory_of(const TrainingJob& job, const char* machine = "gb200") {
  return estimate_memory(job, *find_target_machine(machine), Assumptions());
}

// Llama 3 8B on one rank: 8.03e9 parameters. BF16, bytes per parameter: 2 of weights, 2 of
// gradients, and 12 of Adam sharded over eight ranks.
TEST(MemoryEstimate, CountsParameters) {
  TrainingJob job = job_of("llama3-8b", kernels::Recipe::bf16);
  const double parameters = job.model.parameters();
  const MemoryEstimate m = memory_of(job);
  EXPECT_NEAR(parameters_of_rank(job) / parameters, 1, 1e-9);
  EXPECT_NEAR(m.weights_bytes / parameters, 2, 1e-6);
  EXPECT_NEAR(m.gradients_bytes / parameters, 2, 1e-6);
  EXPECT_NEAR(m.optimizer_bytes / parameters, 1.5, 1e-6);
  job.distributed_optimizer = false;
  EXPECT_NEAR(memory_of(job).optimizer_bytes / parameters, 12, 1e-6);
  Assumptions fp32;
  fp32.gradient_bytes = 4;
  EXPECT_NEAR(
      estimate_memory(job, *find_target_machine("gb200"), fp32).gradients_bytes / parameters, 4,
      1e-6);
}

// Bytes per parameter of a layer: FP8 1 on Blackwell, 2 on Hopper, whose tensor cores need a
// transpose; MXFP8 two copies with a scale per 32; NVFP4 BF16 and two copies. Embedding and head
// (2 x 128256 x 4096) stay in BF16.
TEST(MemoryEstimate, CountsCopiesOfWeights) {
  const double outer = 2 * 128256. * 4096 + 4096;
  const auto of_layers = [&](kernels::Recipe recipe, const char* machine) {
    const TrainingJob job = job_of("llama3-8b", recipe);
    return (memory_of(job, machine).weights_bytes - 2 * outer) / (job.model.parameters() - outer);
  };
  EXPECT_NEAR(of_layers(kernels::Recipe::fp8, "gb200"), 1, 1e-6);
  EXPECT_NEAR(of_layers(kernels::Recipe::fp8, "h100"), 2, 1e-6);
  EXPECT_NEAR(of_layers(kernels::Recipe::mxfp8, "gb200"), 2 + 2. / 32, 1e-6);
  EXPECT_NEAR(of_layers(kernels::Recipe::nvfp4, "gb200"), 2 + 2 * 9. / 16, 1e-6);
}

// Elements per token and layer in BF16 (hidden 4096, 32 / 8 heads, FFN 14336): inputs of two norms,
// q, k, v, attention output, gate and up, and inputs of three linear layers; the fourth uses the
// attention output. In FP8 its converted input is kept too.
TEST(MemoryEstimate, CountsActivationsForBackward) {
  const double elements = 2 * 4096 + (4096 + 2 * 1024) + 4096 + 2 * 14336;
  const double logits = 8192. * 128256 * 6;
  TrainingJob job = job_of("llama3-8b", kernels::Recipe::bf16);
  EXPECT_NEAR(memory_of(job).activations_bytes - logits,
              32 * 8192. * (2 * elements + 2 * (2 * 4096 + 14336)), 1);
  job.recipe = kernels::Recipe::fp8;
  EXPECT_NEAR(memory_of(job).activations_bytes - logits,
              32 * 8192. * (2 * elements + (3 * 4096 + 14336)), 1);
}

// The first of p stages holds p micro-batches; with v chunks per stage p + (p - 1) / v.
TEST(MemoryEstimate, CountsMicroBatchesInFlight) {
  TrainingJob job = job_of("llama3-70b", kernels::Recipe::bf16);
  job.gpus = 8;
  job.global_batch = 128;
  job.pipeline = 4;
  const double one = memory_of(job).activations_bytes / 4;
  job.virtual_pipeline = 5;
  EXPECT_NEAR(memory_of(job).activations_bytes / one, 4 + 3. / 5, 1e-9);
  job.virtual_pipeline = 1;
  job.global_batch = 4;  // two micro-batches
  EXPECT_NEAR(memory_of(job).activations_bytes / one, 2, 1e-9);
}

// A recomputed layer keeps only its input, an offloaded layer nothing.
TEST(MemoryEstimate, RecomputeAndOffloadSaveMemory) {
  TrainingJob job = job_of("llama3-8b", kernels::Recipe::bf16);
  const double none = memory_of(job).activations_bytes;
  set_recompute(job, "full:8");
  const double eight = memory_of(job).activations_bytes;
  set_recompute(job, "full:16");
  const double sixteen = memory_of(job).activations_bytes;
  set_recompute(job, "full");
  const double all = memory_of(job).activations_bytes;
  EXPECT_LT(eight, none);
  const double saved_by_8 = eight - sixteen;
  EXPECT_NEAR((eight - all) / saved_by_8, 3, 1e-9);
  job.recompute = Recompute::none;
  job.offload_layers = 16;
  EXPECT_LT(memory_of(job).activations_bytes, sixteen);
  EXPECT_EQ(memory_of(job).parameters_bytes(),
            memory_of(job_of("llama3-8b", kernels::Recipe::bf16)).parameters_bytes());
}

// Published jobs have run, so they fit, with their offloading; the doubtful rows do not.
TEST(MemoryEstimate, PublishedJobsFit) {
  for (const PublishedStep& step : published_steps()) {
    const TargetMachine machine = *find_target_machine(step.machine);
    const double needed = estimate_memory(step.job, machine, Assumptions()).total_bytes();
    const std::string name = step.job.model.name + " " + step.machine + " " +
                             std::string(kernels::to_string(step.job.recipe)) + " " + step.source +
                             ", " + layout_text(step.job);
    if (step.use == "doubtful") {
      EXPECT_GT(needed, machine.memory_bytes) << name;
    } else {
      EXPECT_LT(needed, machine.memory_bytes) << name;
      EXPECT_GT(needed, 0.2 * machine.memory_bytes) << name;
    }
  }
}

}  // namespace
}  // namespace mansard::analysis
