// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/step_prediction.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "analyzer/predict/gap_ledger.h"
#include "analyzer/predict/kernel_times.h"
#include "analyzer/predict/layer_set.h"
#include "tests/analyzer/predict/error_of.h"
#include "tests/analyzer/predict/job_of.h"

namespace mansard::analysis {
namespace {

const TargetMachine& gb200() {
  static const TargetMachine machine = *find_target_machine("gb200");
  return machine;
}

TrainingJob two_sequences_of(const char* model, kernels::Recipe recipe, const char* keep = "none") {
  TrainingJob job = job_of(model, recipe, keep);
  job.micro_batch = 2;
  return job;
}

StepPrediction predict(const TrainingJob& job, const Assumptions& a = {}) {
  return predict_step(job, gb200(), a);
}

// Elementwise: 8e12 B/s x 0.75, and two kernels of 4 us. FP8: 5 B per element (amax 2, cast 2 + 1)
// at 0.70. NVFP4: 5.125 B (2 read twice, 9/16 written twice) at 0.60.
TEST(KernelTimes, MemoryBoundKernelsFollowTheirBytes) {
  const Assumptions a;
  const KernelTimes times(gb200(), a);
  EXPECT_DOUBLE_EQ(times.elementwise_s(6e9, 2), 1e-3 + 8e-6);
  EXPECT_DOUBLE_EQ(times.conversion_s(kernels::Recipe::fp8, 5.6e9, 1), 5e-3 + 8e-6);
  EXPECT_DOUBLE_EQ(times.conversion_s(kernels::Recipe::nvfp4, 1e9, 1), 5.125e9 / 4.8e12 + 12e-6);
  EXPECT_EQ(times.conversion_s(kernels::Recipe::bf16, 1e9, 1), 0);
  // Hopper also writes a transpose.
  const TargetMachine h100 = *find_target_machine("h100");
  EXPECT_DOUBLE_EQ(KernelTimes(h100, a).conversion_s(kernels::Recipe::fp8, 1e9, 0),
                   6e9 / (3.35e12 * 0.70));
}

// cuDNN on GB200 with sequence 8192: 1563 TFLOP/s forward, 1279 TFLOP/s backward with 2.5x the
// FLOPs. 64 heads with 8192^2 x 128 x 2 FLOP take 0.704 and 2.150 ms, as published. Midway in log2,
// the rate is the mean.
TEST(KernelTimes, AttentionReproducesMeasuredRates) {
  Assumptions a;
  a.clock_loss = 0;
  const KernelTimes times(gb200(), a);
  const double flop = 64 * 8192. * 8192. * 128 * 2;
  EXPECT_NEAR(times.attention(flop, 8192).forward_s, 0.704e-3, 1e-6);
  EXPECT_NEAR(times.attention(flop, 8192).backward_s, 2.150e-3, 2e-6);
  EXPECT_NEAR(times.attention(1e12, 8192 * std::sqrt(2.0)).forward_s,
              1e12 / (0.5 * (1563e12 + 1646e12)), 1e-9);
  EXPECT_DOUBLE_EQ(times.attention(1e12, 1 << 20).forward_s, 1e12 / 1686e12);
}

TEST(KernelTimes, UnmeasuredGpusUseFractionsOfPeak) {
  const Assumptions a;
  const TargetMachine rtx_5090 = *find_target_machine("rtx_5090");
  const TargetMachine rtx_pro = *find_target_machine("rtx_pro_6000");
  EXPECT_TRUE(rtx_5090.layers_of_another_gpu);
  EXPECT_FALSE(rtx_pro.layers_of_another_gpu);
  Assumptions no_loss;
  no_loss.clock_loss = 0;
  const GemmShape shape = {8192, 8192, 8192};
  EXPECT_NEAR(KernelTimes(rtx_5090, no_loss).gemm_s(kernels::Recipe::bf16, shape) /
                  KernelTimes(rtx_pro, no_loss).gemm_s(kernels::Recipe::bf16, shape),
              468.0 / 209.5, 1e-9);
  EXPECT_GT(KernelTimes(rtx_5090, a).gemm_error(kernels::Recipe::bf16, shape),
            2 * KernelTimes(rtx_pro, a).gemm_error(kernels::Recipe::bf16, shape));
}

// One token x a matrix reads the matrix: 2 x 8192 x 8192 B at 0.75 x 8 TB/s, with m = 1 or n = 1.
TEST(KernelTimes, SmallGemmsAreMemoryBound) {
  const Assumptions a;
  const KernelTimes times(gb200(), a);
  const double bytes = 2 * (8192. * 8192 + 2 * 8192);
  EXPECT_DOUBLE_EQ(times.gemm_s(kernels::Recipe::bf16, {1, 8192, 8192}), bytes / 6e12);
  EXPECT_DOUBLE_EQ(times.gemm_s(kernels::Recipe::bf16, {8192, 1, 8192}), bytes / 6e12);
  EXPECT_GT(times.gemm_s(kernels::Recipe::bf16, {8192, 8192, 8192}), 10 * bytes / 6e12);
  // A weight gradient of few tokens is bound by its BF16 reads and writes.
  EXPECT_DOUBLE_EQ(times.wgrad_s(kernels::Recipe::bf16, {8192, 8192, 64}), 4 * 8192. * 8192 / 6e12);
}

TEST(KernelTimes, Mxfp8RateIsAFractionOfFp8) {
  Assumptions a;
  a.clock_loss = 0;
  const KernelTimes times(gb200(), a);
  const GemmShape shape = {8192, 8192, 8192};
  EXPECT_NEAR(
      times.gemm_s(kernels::Recipe::fp8, shape) / times.gemm_s(kernels::Recipe::mxfp8, shape), 0.95,
      1e-9);
}

// Transformer Engine's GEMM guide: the 12 GEMMs of a layer (hidden 4096, FFN 16384 without a gate,
// 15872 tokens) with pre-quantized operands on B300 are 1.92x (FP8), 1.83x (MXFP8) and 3.48x
// (NVFP4) as fast as in BF16.
TEST(KernelTimes, AgreeWithTheTransformerEngineGuide) {
  Assumptions a;
  a.clock_loss = 0;
  const TargetMachine b300 = *find_target_machine("b300");
  const KernelTimes times(b300, a);
  const auto layer_s = [&](kernels::Recipe recipe) {
    double sum_s = 0;
    for (const auto& [in, out] : {std::pair(4096., 12288.), std::pair(4096., 4096.),
                                  std::pair(4096., 16384.), std::pair(16384., 4096.)}) {
      sum_s += times.gemm_s(recipe, {15872, out, in}) + times.gemm_s(recipe, {15872, in, out}) +
               times.gemm_s(recipe, {out, in, 15872});
    }
    return sum_s;
  };
  const double bf16_s = layer_s(kernels::Recipe::bf16);
  EXPECT_NEAR(bf16_s / layer_s(kernels::Recipe::fp8), 13.102 / 6.812, 0.05);
  EXPECT_NEAR(bf16_s / layer_s(kernels::Recipe::mxfp8), 13.102 / 7.161, 0.05);
  EXPECT_NEAR(bf16_s / layer_s(kernels::Recipe::nvfp4), 13.102 / 3.764, 0.05);
}

// Attention rates of another GPU have a larger error, especially across architectures.
TEST(KernelTimes, BorrowedAttentionRatesHaveLargerErrors) {
  const Assumptions a;
  const auto error_on = [&](const char* name) {
    const TargetMachine machine = *find_target_machine(name);
    return KernelTimes(machine, a).attention_error();
  };
  EXPECT_LT(error_on("gb200"), error_on("b200"));
  EXPECT_EQ(error_on("b200"), error_on("h100"));
  EXPECT_LT(error_on("b200"), error_on("rtx_pro_6000"));
}

TEST(StepPrediction, PartsAddUp) {
  const StepPrediction p = predict(two_sequences_of("llama3-8b", kernels::Recipe::nvfp4, "last:4"));
  EXPECT_DOUBLE_EQ(std::accumulate(p.parts_s.begin(), p.parts_s.end(), 0.0), p.step_s);
  EXPECT_NEAR(std::accumulate(p.gemm_by_layer_s.begin(), p.gemm_by_layer_s.end(), 0.0),
              p.part_s(StepPart::gemm), 1e-9);
  EXPECT_GT(p.gemm_by_layer_s[31], 1.5 * p.gemm_by_layer_s[0]);  // in BF16
  EXPECT_EQ(p.part_s(StepPart::bubble), 0);
  EXPECT_GT(p.error_s, 0.03 * p.step_s);
}

// Twice the batch has twice the micro-batches: all but data-parallel communication and optimizer
// doubles.
TEST(StepPrediction, ScalesWithTheBatch) {
  TrainingJob job = two_sequences_of("llama3-8b", kernels::Recipe::bf16);
  const StepPrediction one = predict(job);
  job.global_batch *= 2;
  const StepPrediction two = predict(job);
  EXPECT_NEAR(two.part_s(StepPart::attention), 2 * one.part_s(StepPart::attention), 1e-9);
  EXPECT_NEAR(two.part_s(StepPart::gemm), 2 * one.part_s(StepPart::gemm), 1e-9);
  EXPECT_DOUBLE_EQ(two.part_s(StepPart::optimizer), one.part_s(StepPart::optimizer));
}

// Equal layers, four stages, five chunks per stage: the bubble is 3 / 5 of a micro-batch. The last
// stage also has the head, so the stages are imbalanced.
TEST(StepPrediction, PipelineBubble) {
  TrainingJob job = two_sequences_of("llama3-70b", kernels::Recipe::bf16);
  job.gpus = 64;
  job.global_batch = 256;
  job.micro_batch = 1;
  job.pipeline = 4;
  job.virtual_pipeline = 5;
  const StepPrediction p = predict(job);
  const double work_s = p.step_s - p.part_s(StepPart::bubble) - p.part_s(StepPart::data) -
                        p.part_s(StepPart::optimizer);
  EXPECT_NEAR(p.part_s(StepPart::bubble), work_s / 16 * 3 / 5, 1e-9);
  EXPECT_GT(p.part_s(StepPart::imbalance), 0);
}

// Recomputing 8 of 32 layers costs a quarter of recomputing all.
TEST(StepPrediction, RecomputesTheRequestedLayers) {
  TrainingJob job = two_sequences_of("llama3-8b", kernels::Recipe::fp8);
  set_recompute(job, "full");
  const double all_s = predict(job).part_s(StepPart::recompute);
  set_recompute(job, "full:8");
  EXPECT_NEAR(predict(job).part_s(StepPart::recompute), all_s / 4, 1e-9);
  set_recompute(job, "selective");
  EXPECT_LT(predict(job).part_s(StepPart::recompute), predict(job).part_s(StepPart::attention) / 3);
}

// Blocks without attention, and with different FFN sizes.
TEST(StepPrediction, SupportsIrregularModels) {
  TrainingJob job = two_sequences_of("nemotron-super-49b", kernels::Recipe::nvfp4);
  job.gpus = 64;
  job.global_batch = 256;
  job.micro_batch = 1;
  const StepPrediction p = predict(job);
  const StepPrediction dense = [&] {
    TrainingJob other = two_sequences_of("llama3-70b", kernels::Recipe::nvfp4);
    other.gpus = 64;
    other.global_batch = 256;
    other.micro_batch = 1;
    return predict(other);
  }();
  // 49 of the 80 layers have attention.
  EXPECT_NEAR(p.part_s(StepPart::attention) / dense.part_s(StepPart::attention), 49.0 / 80, 1e-9);
  EXPECT_LT(p.step_s, dense.step_s);
}

// With 1 ms per host call the job is launch-bound, but only without CUDA graphs.
TEST(StepPrediction, LaunchBoundWithoutCudaGraphs) {
  TrainingJob job = two_sequences_of("llama3-70b", kernels::Recipe::fp8);
  job.gpus = 64;
  job.micro_batch = 1;
  job.tensor = 2;
  job.pipeline = 4;
  job.virtual_pipeline = 5;
  EXPECT_EQ(predict(job).part_s(StepPart::host), 0);
  Assumptions slow;
  slow.grace_call_s = 1e-3;
  const StepPrediction bound = predict(job, slow);
  // 64 calls: two parts with 10 calls, 4 conversions of 2 kernels and 11 calls for tensor
  // parallelism each; 2 for RoPE, 2 for attention, 2 for the activation. 20 layers per stage.
  const double host_s = 20 * (2 * (10 + 4 * 2 + 11) + 6) * 1e-3;
  const double slowest_s = bound.part_s(StepPart::bubble) * 5 / 3;
  EXPECT_NEAR(slowest_s / host_s, 1, 1e-3);
  EXPECT_GT(bound.part_s(StepPart::host), predict(job).step_s);
  job.cuda_graphs = true;
  EXPECT_EQ(predict(job, slow).part_s(StepPart::host), 0);
}

TEST(StepPrediction, DependsOnAssumptions) {
  const TrainingJob job = two_sequences_of("llama3-8b", kernels::Recipe::fp8);
  Assumptions slow;
  slow.clock_loss = 0.3;
  slow.elementwise_hbm = 0.375;
  slow.kernel_ramp_s = 0;
  Assumptions no_ramp;
  no_ramp.kernel_ramp_s = 0;
  const StepPrediction p = predict(job, slow);
  const StepPrediction q = predict(job, no_ramp);
  EXPECT_GT(p.part_s(StepPart::gemm), q.part_s(StepPart::gemm));
  EXPECT_NEAR(p.part_s(StepPart::elementwise), 2 * q.part_s(StepPart::elementwise), 1e-9);
  EXPECT_DOUBLE_EQ(p.part_s(StepPart::conversion), q.part_s(StepPart::conversion));
}

// Ideal + lines = predicted step, for two pairs of recipes and a pipeline.
TEST(GapLedger, AddsUpToTheSaving) {
  for (const auto& [before, after] : {std::pair(kernels::Recipe::bf16, kernels::Recipe::nvfp4),
                                      std::pair(kernels::Recipe::fp8, kernels::Recipe::nvfp4)}) {
    TrainingJob job = two_sequences_of("llama3-70b", after, "first:2,last:8");
    job.gpus = 64;
    job.global_batch = 256;
    job.micro_batch = 1;
    job.tensor = 2;
    job.pipeline = 4;
    job.virtual_pipeline = 5;
    const StepPrediction b = predict(job);
    job.recipe = before;
    job.keep_bf16.assign(80, false);
    const StepPrediction a = predict(job);
    const Ledger ledger = gap_ledger(a, b, gb200());
    EXPECT_DOUBLE_EQ(ledger.ceiling_ratio, before == kernels::Recipe::bf16 ? 4 : 2);
    EXPECT_DOUBLE_EQ(ledger.baseline_s, a.step_s);
    EXPECT_DOUBLE_EQ(ledger.measured_s, b.step_s);
    EXPECT_DOUBLE_EQ(ledger.ideal_s, a.step_s / ledger.ceiling_ratio);
    EXPECT_NEAR(ledger.residual_s(), 0, 1e-9 * a.step_s);
    EXPECT_NEAR(ledger_rows(ledger).back().adds_s, b.step_s - a.step_s, 1e-9 * a.step_s);
    EXPECT_GT(ledger.speed_up_error, 0);
    EXPECT_LT(ledger.speed_up_error, 0.3);
  }
}

// Conversions are added to BF16, removed from NVFP4, and present in both FP8 and NVFP4.
TEST(GapLedger, LabelsAddedAndRemovedParts) {
  const auto cause_of = [](kernels::Recipe before, kernels::Recipe after) {
    const StepPrediction a = predict(two_sequences_of("llama3-8b", before));
    const StepPrediction b = predict(two_sequences_of("llama3-8b", after));
    const Ledger ledger = gap_ledger(a, b, gb200());
    for (const LedgerLine& line : ledger.lines) {
      if (line.id == "conversion") return line.label;
    }
    return std::string();
  };
  EXPECT_TRUE(says(cause_of(kernels::Recipe::bf16, kernels::Recipe::nvfp4), ", added"));
  EXPECT_TRUE(says(cause_of(kernels::Recipe::nvfp4, kernels::Recipe::bf16), ", removed"));
  EXPECT_EQ(cause_of(kernels::Recipe::fp8, kernels::Recipe::nvfp4),
            "conversions (amax, casts, transforms)");
}

// Layers in BF16 take the same time in both steps; the same recipe twice has no gap.
TEST(GapLedger, ListsLayersKeptInBf16) {
  const StepPrediction b = predict(two_sequences_of("llama3-8b", kernels::Recipe::nvfp4, "last:4"));
  const StepPrediction a = predict(two_sequences_of("llama3-8b", kernels::Recipe::bf16));
  const Ledger ledger = gap_ledger(a, b, gb200());
  const auto kept = std::find_if(ledger.lines.begin(), ledger.lines.end(),
                                 [](const LedgerLine& line) { return line.id == "kept_bf16"; });
  ASSERT_NE(kept, ledger.lines.end());
  const double after_s = kept->details.front().candidate_s.value();
  EXPECT_NEAR(kept->details.front().baseline_s.value(), after_s, 1e-9);
  EXPECT_NEAR(kept->time_s, 0.75 * after_s, 1e-9);
  const Ledger same = gap_ledger(b, b, gb200());
  EXPECT_EQ(same.ceiling_ratio, 1);
  for (const LedgerLine& line : same.lines) EXPECT_NEAR(line.time_s, 0, 1e-12) << line.id;
  EXPECT_EQ(same.speed_up_error, 0);
  TrainingJob shorter = two_sequences_of("llama3-8b", kernels::Recipe::bf16);
  shorter.global_batch = 64;
  EXPECT_NE(error_of([&] { gap_ledger(predict(shorter), b, gb200()); }), "");
}

}  // namespace
}  // namespace mansard::analysis
