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

namespace mansard::analysis {
namespace {

const TargetMachine& gb200() {
  static const TargetMachine machine = *find_target_machine("gb200");
  return machine;
}

TrainingJob job_of(const char* model, kernels::Recipe recipe, const char* keep = "none") {
  TrainingJob job;
  job.model = *kernels::find_transformer_model(model);
  job.recipe = recipe;
  job.keep_bf16 = parse_layer_set(keep, layers_of(job.model).size());
  job.micro_batch = 2;
  return job;
}

StepPrediction predict(const TrainingJob& job, const Assumptions& a = {}) {
  return predict_step(job, gb200(), a);
}

// 8e12 B/s x 0.75 and two kernels of 4 us; FP8: 5 B an element (amax 2, cast 2 + 1) at 0.70; NVFP4:
// 5.125 B (read twice, 9/16 written twice) at 0.60.
TEST(KernelTimes, CountBytes) {
  const Assumptions a;
  const KernelTimes times(gb200(), a);
  EXPECT_DOUBLE_EQ(times.elementwise_s(6e9, 2), 1e-3 + 8e-6);
  EXPECT_DOUBLE_EQ(times.conversion_s(kernels::Recipe::fp8, 5.6e9, 1), 5e-3 + 8e-6);
  EXPECT_DOUBLE_EQ(times.conversion_s(kernels::Recipe::nvfp4, 1e9, 1), 5.125e9 / 4.8e12 + 12e-6);
  EXPECT_EQ(times.conversion_s(kernels::Recipe::bf16, 1e9, 1), 0);
  // Hopper writes a transpose beside the cast.
  const TargetMachine h100 = *find_target_machine("h100");
  EXPECT_DOUBLE_EQ(KernelTimes(h100, a).conversion_s(kernels::Recipe::fp8, 1e9, 0),
                   6e9 / (3.35e12 * 0.70));
}

// cuDNN on GB200 at 8192: 1563 forward, 1279 TFLOP/s backward of 2.5 times the work; in 64 heads
// 8192^2 x 128 x 2 FLOP are 0.704 and 2.150 ms, as published. Half-way in log2 lies the mean of the
// rates.
TEST(KernelTimes, ReproduceCudnnWhereItWasMeasured) {
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

TEST(KernelTimes, AnAbsentGpuTakesFractionsOfPeak) {
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

// A token times a matrix reads the matrix: 2 x 8192 x 8192 B at 0.75 of 8 TB/s, in both directions.
TEST(KernelTimes, MultiplyNoFasterThanMemoryBrings) {
  const Assumptions a;
  const KernelTimes times(gb200(), a);
  const double bytes = 2 * (8192. * 8192 + 2 * 8192);
  EXPECT_DOUBLE_EQ(times.gemm_s(kernels::Recipe::bf16, {1, 8192, 8192}), bytes / 6e12);
  EXPECT_DOUBLE_EQ(times.gemm_s(kernels::Recipe::bf16, {8192, 1, 8192}), bytes / 6e12);
  EXPECT_GT(times.gemm_s(kernels::Recipe::bf16, {8192, 8192, 8192}), 10 * bytes / 6e12);
  // A weight gradient of few tokens is read and written in BF16, beside the operands.
  EXPECT_DOUBLE_EQ(times.wgrad_s(kernels::Recipe::bf16, {8192, 8192, 64}), 4 * 8192. * 8192 / 6e12);
}

TEST(KernelTimes, TakeMxfp8AtAShareOfFp8) {
  Assumptions a;
  a.clock_loss = 0;
  const KernelTimes times(gb200(), a);
  const GemmShape shape = {8192, 8192, 8192};
  EXPECT_NEAR(
      times.gemm_s(kernels::Recipe::fp8, shape) / times.gemm_s(kernels::Recipe::mxfp8, shape), 0.95,
      1e-9);
}

// Transformer Engine's GEMM guide: the 12 GEMMs of a layer (hidden 4096, FFN 16384 without a gate,
// 15872 tokens), operands converted beforehand, on B300 in 1.92 (FP8), 1.83 (MXFP8) and 3.48 times
// less than in BF16.
TEST(KernelTimes, AgreeWithTransformerEnginesGuide) {
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

// Rates of attention that another GPU lent are less sure, more so across architectures.
TEST(KernelTimes, AreLessSureOfBorrowedAttention) {
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
  const StepPrediction p = predict(job_of("llama3-8b", kernels::Recipe::nvfp4, "last:4"));
  EXPECT_DOUBLE_EQ(std::accumulate(p.parts_s.begin(), p.parts_s.end(), 0.0), p.step_s);
  EXPECT_NEAR(std::accumulate(p.gemm_by_layer_s.begin(), p.gemm_by_layer_s.end(), 0.0),
              p.part_s(StepPart::gemm), 1e-9);
  EXPECT_GT(p.gemm_by_layer_s[31], 1.5 * p.gemm_by_layer_s[0]);  // in BF16
  EXPECT_EQ(p.part_s(StepPart::bubble), 0);
  EXPECT_GT(p.error_s, 0.03 * p.step_s);
}

// Twice the batch is twice the micro-batches: all but the traffic and the optimizer doubles.
TEST(StepPrediction, GrowsWithTheBatch) {
  TrainingJob job = job_of("llama3-8b", kernels::Recipe::bf16);
  const StepPrediction one = predict(job);
  job.global_batch *= 2;
  const StepPrediction two = predict(job);
  EXPECT_NEAR(two.part_s(StepPart::attention), 2 * one.part_s(StepPart::attention), 1e-9);
  EXPECT_NEAR(two.part_s(StepPart::gemm), 2 * one.part_s(StepPart::gemm), 1e-9);
  EXPECT_DOUBLE_EQ(two.part_s(StepPart::optimizer), one.part_s(StepPart::optimizer));
}

// With layers of equal work, four stages and five chunks each: the pipeline is filled and drained
// by 3 / 5 of a micro-batch, and the last stage waits for none though it has the head.
TEST(StepPrediction, FillsThePipeline) {
  TrainingJob job = job_of("llama3-70b", kernels::Recipe::bf16);
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

// Everything forward once more of half of the layers: a quarter of what all would cost, were it 16
// of 64.
TEST(StepPrediction, RecomputesWhatItIsTold) {
  TrainingJob job = job_of("llama3-8b", kernels::Recipe::fp8);
  set_recompute(job, "full");
  const double all_s = predict(job).part_s(StepPart::recompute);
  set_recompute(job, "full:8");
  EXPECT_NEAR(predict(job).part_s(StepPart::recompute), all_s / 4, 1e-9);
  set_recompute(job, "selective");
  EXPECT_LT(predict(job).part_s(StepPart::recompute), predict(job).part_s(StepPart::attention) / 3);
}

// Blocks without attention, and of many widths.
TEST(StepPrediction, KnowsIrregularModels) {
  TrainingJob job = job_of("nemotron-super-49b", kernels::Recipe::nvfp4);
  job.gpus = 64;
  job.global_batch = 256;
  job.micro_batch = 1;
  const StepPrediction p = predict(job);
  const StepPrediction dense = [&] {
    TrainingJob other = job_of("llama3-70b", kernels::Recipe::nvfp4);
    other.gpus = 64;
    other.global_batch = 256;
    other.micro_batch = 1;
    return predict(other);
  }();
  // 49 of the 80 layers have attention.
  EXPECT_NEAR(p.part_s(StepPart::attention) / dense.part_s(StepPart::attention), 49.0 / 80, 1e-9);
  EXPECT_LT(p.step_s, dense.step_s);
}

// A quarter of each layer's host calls for a micro-batch of a quarter of the tokens, but the same
// number of calls: at 1 ms a call the host is what takes long, and only without CUDA graphs.
TEST(StepPrediction, WaitsForTheHost) {
  TrainingJob job = job_of("llama3-70b", kernels::Recipe::fp8);
  job.gpus = 64;
  job.micro_batch = 1;
  job.tensor = 2;
  job.pipeline = 4;
  job.virtual_pipeline = 5;
  EXPECT_EQ(predict(job).part_s(StepPart::host), 0);
  Assumptions slow;
  slow.grace_call_s = 1e-3;
  const StepPrediction bound = predict(job, slow);
  // 76 calls: two parts of 10 and 4 conversions of 2 kernels, 11 of tensor parallelism each; 2 of
  // rope, 2 of attention, 2 of the activation. 20 layers a stage.
  const double host_s = 20 * (2 * (10 + 4 * 2 + 11) + 6) * 1e-3;
  const double slowest_s = bound.part_s(StepPart::bubble) * 5 / 3;
  EXPECT_NEAR(slowest_s / host_s, 1, 1e-3);
  EXPECT_GT(bound.part_s(StepPart::host), predict(job).step_s);
  job.cuda_graphs = true;
  EXPECT_EQ(predict(job, slow).part_s(StepPart::host), 0);
}

TEST(StepPrediction, FollowsItsAssumptions) {
  const TrainingJob job = job_of("llama3-8b", kernels::Recipe::fp8);
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

// The identity that the ledger rests on, for two pairs of recipes and a pipeline.
TEST(GapLedger, AddsUpToWhatIsSaved) {
  for (const auto& [before, after] : {std::pair(kernels::Recipe::bf16, kernels::Recipe::nvfp4),
                                      std::pair(kernels::Recipe::fp8, kernels::Recipe::nvfp4)}) {
    TrainingJob job = job_of("llama3-70b", after, "first:2,last:8");
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

// Layers in BF16 in both steps take as long in both; the same recipe twice leaves no gap.
// Conversions are added to BF16, not to FP8, which has its own.
TEST(GapLedger, SaysWhatIsAdded) {
  const auto cause_of = [](kernels::Recipe before, kernels::Recipe after) {
    const StepPrediction a = predict(job_of("llama3-8b", before));
    const StepPrediction b = predict(job_of("llama3-8b", after));
    const Ledger ledger = gap_ledger(a, b, gb200());
    for (const LedgerLine& line : ledger.lines) {
      if (line.id == "conversion") return line.label;
    }
    return std::string();
  };
  EXPECT_TRUE(says(cause_of(kernels::Recipe::bf16, kernels::Recipe::nvfp4), ", added"));
  EXPECT_TRUE(says(cause_of(kernels::Recipe::nvfp4, kernels::Recipe::bf16), ", gone"));
  EXPECT_EQ(cause_of(kernels::Recipe::fp8, kernels::Recipe::nvfp4),
            "conversions (amax, casts, transforms)");
}

TEST(GapLedger, KnowsWhatStayed) {
  const StepPrediction b = predict(job_of("llama3-8b", kernels::Recipe::nvfp4, "last:4"));
  const StepPrediction a = predict(job_of("llama3-8b", kernels::Recipe::bf16));
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
  TrainingJob shorter = job_of("llama3-8b", kernels::Recipe::bf16);
  shorter.global_batch = 64;
  EXPECT_NE(error_of([&] { gap_ledger(predict(shorter), b, gb200()); }), "");
}

}  // namespace
}  // namespace mansard::analysis
