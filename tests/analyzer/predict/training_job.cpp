// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/training_job.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "analyzer/predict/communication.h"
#include "tests/analyzer/predict/error_of.h"
#include "tests/analyzer/predict/job_of.h"

namespace mansard::analysis {
namespace {

std::string refusal(const TrainingJob& job, const char* machine = "gb200") {
  return error_of([&] { require_possible(job, *find_target_machine(machine)); });
}

TEST(TrainingJob, SplitsLayersIntoChunks) {
  TrainingJob job = job_of("llama3-70b");
  job.pipeline = 4;
  job.virtual_pipeline = 5;
  const auto even = pipeline_chunks(job);
  ASSERT_EQ(even.size(), 20U);
  for (const auto& chunk : even) EXPECT_EQ(chunk.size(), 4U);
  EXPECT_EQ(even[1].front(), 4U);

  // 126 layers, embedding and head are 128 slots: two in each of 64 chunks.
  job = job_of("llama3-405b");
  job.pipeline = 16;
  job.virtual_pipeline = 4;
  const auto uneven = pipeline_chunks(job);
  ASSERT_EQ(uneven.size(), 64U);
  EXPECT_EQ(uneven.front().size(), 1U);
  EXPECT_EQ(uneven[1], (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(uneven.back(), (std::vector<std::size_t>{125}));
}

TEST(TrainingJob, RejectsInconsistentSettings) {
  TrainingJob job = job_of("llama3-8b");
  EXPECT_EQ(refusal(job), "");
  job.tensor = 3;
  EXPECT_TRUE(says(refusal(job), "= 3 does not divide gpus = 8"));
  job = job_of("llama3-8b");
  job.micro_batch = 3;
  EXPECT_TRUE(says(refusal(job), "= 24 does not divide global batch = 128"));
  job = job_of("llama3-8b");
  job.tensor = 16;
  job.gpus = 16;
  EXPECT_TRUE(says(refusal(job), "key and value heads: 8"));
  job = job_of("llama3-8b");
  job.context = 0;
  EXPECT_TRUE(says(refusal(job), "context parallel 0"));
  job.context = -2;
  EXPECT_TRUE(says(refusal(job), "context parallel -2"));
  job = job_of("llama3-8b");
  job.gpus = std::int64_t{1} << 62;
  EXPECT_TRUE(says(refusal(job), "must be between 1 and 1048576"));
  job = job_of("llama3-8b");
  job.virtual_pipeline = 2;
  EXPECT_TRUE(says(refusal(job), "needs pipeline parallel above 1"));
  job = job_of("llama3-70b");
  job.pipeline = 8;
  job.virtual_pipeline = 3;
  EXPECT_TRUE(says(refusal(job), "80 layers of llama3-70b cannot be split into 24"));
  job.virtual_pipeline = 5;
  job.global_batch = 12;
  EXPECT_TRUE(
      says(refusal(job), "needs a multiple of pipeline parallel = 8 micro-batches, not 12"));
  job.fully_sharded = true;
  job.global_batch = 16;
  EXPECT_TRUE(says(refusal(job), "with pipeline parallel are not supported"));
}

TEST(TrainingJob, RejectsFormatsWithoutARate) {
  TrainingJob job = job_of("llama3-8b");
  job.recipe = kernels::Recipe::nvfp4;
  EXPECT_EQ(refusal(job, "gb200"), "");
  EXPECT_TRUE(says(refusal(job, "h100"), "H100 SXM has no published NVFP4 rate"));
  job.recipe = kernels::Recipe::mxfp8;
  EXPECT_TRUE(says(refusal(job, "h200"), "H200 SXM has no published MXFP8 rate"));
  // On Blackwell, MXFP8 has the FP8 rate even if the datasheet does not list it.
  EXPECT_EQ(refusal(job, "rtx_5090"), "");
  const TargetMachine rtx_5090 = *find_target_machine("rtx_5090");
  EXPECT_EQ(rtx_5090.peak(Precision::mxfp8), rtx_5090.peak(Precision::fp8_e4m3));
}

TEST(TrainingJob, RejectsRecipesThatAreNotModeled) {
  TrainingJob job = job_of("llama3-8b");
  for (const kernels::Recipe recipe : {kernels::Recipe::mor_tensor, kernels::Recipe::mor_block}) {
    job.recipe = recipe;
    EXPECT_TRUE(says(refusal(job, "gb200"),
                     "recipe " + std::string(to_string(recipe)) + " is not modeled"));
  }
}

TEST(TrainingJob, RejectsMoreLayersThanAStageHas) {
  TrainingJob job = job_of("llama3-8b");
  set_recompute(job, "full:32");
  EXPECT_EQ(refusal(job), "");
  set_recompute(job, "full:99");
  EXPECT_TRUE(says(refusal(job), "recompute full:99: a pipeline stage has 32 layers"));
  job = job_of("llama3-8b");
  job.offload_layers = 33;
  EXPECT_TRUE(says(refusal(job), "offload 33: a pipeline stage has 32 layers"));
}

// 162 blocks, including empty ones: 9 in each of 18 stages. The stages have all parameters.
TEST(TrainingJob, SplitsEmptyBlocksToo) {
  TrainingJob job = job_of("nemotron-ultra-253b");
  ASSERT_EQ(layers_of(job.model).size(), 162U);
  job.pipeline = 18;
  const auto stages = pipeline_stages(job);
  ASSERT_EQ(stages.size(), 18U);
  EXPECT_EQ(stages[1].front(), 9U);
  const std::vector<double> parameters = parameters_of_stages(job);
  EXPECT_NEAR(std::accumulate(parameters.begin(), parameters.end(), 0.0) / job.model.parameters(),
              1, 1e-12);
  EXPECT_EQ(parameters_of_rank(job), *std::max_element(parameters.begin(), parameters.end()));
}

TEST(TrainingJob, ParsesRecompute) {
  TrainingJob job;
  set_recompute(job, "full:5");
  EXPECT_EQ(job.recompute, Recompute::full);
  EXPECT_EQ(job.recompute_layers, 5);
  set_recompute(job, "selective");
  EXPECT_EQ(job.recompute_layers, 0);
  for (const char* bad : {"full:", "full:0", "full:x", "some", "full:1x"}) {
    EXPECT_TRUE(says(error_of([&] { set_recompute(job, bad); }), bad));
  }
}

// Links at full rate. GB200: 900 GB/s of NVLink between 72 GPUs, 50 GB/s of network.
TEST(Communication, UsesNvlinkWithinADomain) {
  Assumptions full;
  full.nvlink_reach = 1;
  full.network_reach = 1;
  TrainingJob job = job_of("llama3-405b");
  job.gpus = 128;
  job.tensor = 2;
  const TargetMachine gb200 = *find_target_machine("gb200");
  const Communication links(job, gb200, full);
  // Half of 9e9 bytes comes from the other rank.
  const auto exchange_s = [](const Communication& c) {
    return c.data(CollectiveOperation::all_gather, 64e9, 1).longest_s();
  };
  EXPECT_DOUBLE_EQ(links.tensor(CollectiveOperation::all_gather, 9e9).longest_s(),
                   0.5 * 9e9 / 900e9);
  // 64 ranks have the same parameters, 36 of them in one NVLink domain. Each of its adapters
  // fetches 1/36 of the missing 28/64.
  EXPECT_DOUBLE_EQ(exchange_s(links), std::max(63e9 / 900e9, 28e9 / 36 / 50e9));
  // On H100 only 4 of 64 ranks are in one domain, so the network is the bottleneck.
  const TargetMachine h100 = *find_target_machine("h100");
  EXPECT_DOUBLE_EQ(exchange_s(Communication(job, h100, full)), 60e9 / 4 / 50e9);
  EXPECT_EQ(links.pipeline(1e9).longest_s(), 0);
  job.gpus = 2;
  EXPECT_EQ(exchange_s(links), 0);
}

}  // namespace
}  // namespace mansard::analysis
