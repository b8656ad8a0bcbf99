// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/training_job.h"

#include <gtest/gtest.h>

#include "analyzer/predict/communication.h"
#include "analyzer/predict/memory_estimate.h"
#include "tests/analyzer/predict/error_of.h"

namespace mansard {
namespace {

TrainingJob job_of(const char* model) {
  TrainingJob job;
  job.model = *find_transformer_model(model);
  job.keep_bf16.assign(layers_of(job.model).size(), false);
  return job;
}

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

  // 126 layers, embedding and head are 128 places, two in each of 64 chunks.
  job = job_of("llama3-405b");
  job.pipeline = 16;
  job.virtual_pipeline = 4;
  const auto uneven = pipeline_chunks(job);
  ASSERT_EQ(uneven.size(), 64U);
  EXPECT_EQ(uneven.front().size(), 1U);
  EXPECT_EQ(uneven[1], (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(uneven.back(), (std::vector<std::size_t>{125}));
}

TEST(TrainingJob, RefusesWhatDoesNotGoTogether) {
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
  EXPECT_TRUE(says(refusal(job), "has to lie between 1 and 1048576"));
  job = job_of("llama3-8b");
  job.virtual_pipeline = 2;
  EXPECT_TRUE(says(refusal(job), "needs pipeline parallel above 1"));
  job = job_of("llama3-70b");
  job.pipeline = 8;
  job.virtual_pipeline = 3;
  EXPECT_TRUE(says(refusal(job), "80 layers of llama3-70b cannot be split into 24"));
  job.virtual_pipeline = 5;
  job.global_batch = 12;
  EXPECT_TRUE(says(refusal(job), "12 and 8 do not"));
  job.fully_sharded = true;
  job.global_batch = 16;
  EXPECT_TRUE(says(refusal(job), "not modelled together"));
}

TEST(TrainingJob, RefusesFormatsThatTheMachineLacks) {
  TrainingJob job = job_of("llama3-8b");
  job.recipe = Recipe::nvfp4;
  EXPECT_EQ(refusal(job, "gb200"), "");
  EXPECT_TRUE(says(refusal(job, "h100"), "H100 SXM has no tensor cores for NVFP4"));
  job.recipe = Recipe::mxfp8;
  EXPECT_TRUE(says(refusal(job, "h200"), "no tensor cores for MXFP8"));
}

TEST(TrainingJob, ReadsRecompute) {
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

// Llama 3 8B on one rank: 8.03e9 parameters. BF16: 2 B of weights, 4 of gradients, 12 of Adam over
// eight ranks.
TEST(TrainingJob, EstimatesMemory) {
  TrainingJob job = job_of("llama3-8b");
  const MemoryEstimate m = estimate_memory(job);
  const double parameters = job.model.parameters();
  EXPECT_NEAR(parameters_of_rank(job) / parameters, 1, 1e-9);
  EXPECT_NEAR(m.weights_bytes / parameters, 2, 1e-6);
  EXPECT_NEAR(m.gradients_bytes / parameters, 4, 1e-6);
  EXPECT_NEAR(m.optimizer_bytes / parameters, 1.5, 1e-6);
  job.distributed_optimizer = false;
  EXPECT_NEAR(estimate_memory(job).optimizer_bytes / parameters, 12, 1e-6);
  job.recompute = Recompute::full;
  EXPECT_LT(estimate_memory(job).activations_bytes, m.activations_bytes / 3);
}

// All at the links' full rates. GB200: 900 GB/s NVLink among 72, 50 GB/s of network.
TEST(Communication, CountsLinksByWhoIsNear) {
  Assumptions full;
  full.nvlink_reach = 1;
  full.network_reach = 1;
  TrainingJob job = job_of("llama3-405b");
  job.gpus = 128;
  job.tensor = 2;
  const TargetMachine gb200 = *find_target_machine("gb200");
  const Communication links(job, gb200, full);
  // Half of 9e9 bytes comes from the one other rank.
  EXPECT_DOUBLE_EQ(links.tensor_s(9e9), 0.5 * 9e9 / 900e9);
  // 64 ranks hold the same parameters, 36 of them within reach of NVLink: of each domain's missing
  // 28/64 every adapter fetches its 36th part.
  EXPECT_DOUBLE_EQ(links.data_s(64e9), std::max(63e9 / 900e9, 28e9 / 36 / 50e9));
  // On H100 only 4 of 64 are near, so the network decides.
  const TargetMachine h100 = *find_target_machine("h100");
  EXPECT_DOUBLE_EQ(Communication(job, h100, full).data_s(64e9), 60e9 / 4 / 50e9);
  EXPECT_EQ(links.pipeline_s(1e9), 0);
  job.gpus = 2;
  EXPECT_EQ(links.data_s(64e9), 0);
}

}  // namespace
}  // namespace mansard
