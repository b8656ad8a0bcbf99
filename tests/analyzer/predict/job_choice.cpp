// SPDX-License-Identifier: Apache-2.0
#include "analyzer/predict/job_choice.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/analyzer/predict/error_of.h"

namespace mansard::analysis {
namespace {

JobRequest request_of(const char* model, const char* machine) {
  JobRequest request;
  request.model = *kernels::find_transformer_model(model);
  request.machine = machine;
  return request;
}

ChosenJob choose(const JobRequest& request, kernels::Recipe recipe) {
  return choose_job(request, recipe, recipe);
}

// The published job has 4 stages of 5 chunks; 4 requested stages are the same pipeline.
TEST(JobChoice, UsesPublishedChunksForTheSamePipeline) {
  JobRequest request = request_of("llama3-70b", "gb200");
  EXPECT_EQ(choose(request, kernels::Recipe::nvfp4).job.virtual_pipeline, 5);
  request.pipeline = 4;
  EXPECT_EQ(choose(request, kernels::Recipe::nvfp4).job.virtual_pipeline, 5);
  request.pipeline = 8;
  EXPECT_EQ(choose(request, kernels::Recipe::nvfp4).job.virtual_pipeline, 1);
  request.virtual_pipeline = 2;
  EXPECT_EQ(choose(request, kernels::Recipe::nvfp4).job.virtual_pipeline, 2);
}

TEST(JobChoice, NoteListsSettingsThatWereNotGiven) {
  JobRequest request = request_of("llama3-70b", "gb200");
  request.gpus = 64;
  const std::string note = choose(request, kernels::Recipe::fp8).note;
  EXPECT_TRUE(says(note, "Settings taken from published results for llama3-70b in fp8 on gb200"));
  for (const char* part :
       {"global batch 256", "micro-batch 2", "sequence 8192", "tensor 1", "pipeline 1", "virtual 1",
        "context 1", "sharding full", "offload 40", "recompute none", "No layers stay in BF16"}) {
    EXPECT_TRUE(says(note, part));
  }
  EXPECT_EQ(note.find("GPUs"), std::string::npos);
}

TEST(JobChoice, UsesNoPublishedSettingsIfAllAreGiven) {
  JobRequest r = request_of("llama3-8b", "gb200");
  r.gpus = 8;
  r.global_batch = 64;
  r.micro_batch = r.tensor = r.pipeline = r.virtual_pipeline = r.context = 1;
  r.sequence = 4096;
  r.offload = 0;
  r.sharding = "optimizer";
  r.recompute = "none";
  EXPECT_EQ(choose(r, kernels::Recipe::bf16).note, "");
  EXPECT_EQ(choose(r, kernels::Recipe::nvfp4).note, "Layers in BF16: last:4.");
  r.keep_bf16 = "";
  EXPECT_EQ(choose(r, kernels::Recipe::nvfp4).note, "No layers stay in BF16.");
}

// Offloading is a setting of the fully sharded job, so a pipeline does not use it.
TEST(JobChoice, UsesOffloadingOnlyWithItsLayout) {
  JobRequest request = request_of("llama3-70b", "gb200");
  EXPECT_EQ(choose(request, kernels::Recipe::fp8).job.offload_layers, 40);
  request.pipeline = 4;
  const ChosenJob chosen = choose(request, kernels::Recipe::fp8);
  EXPECT_EQ(chosen.job.offload_layers, 0);
  EXPECT_FALSE(chosen.job.fully_sharded);
  EXPECT_TRUE(says(chosen.note, "offload 0"));
}

// Both sides of a comparison have the same layout; each keeps its own published layers in BF16.
TEST(JobChoice, ComparisonsShareTheLayout) {
  const JobRequest request = request_of("llama3-8b", "gb200");
  const ChosenJob other = choose_job(request, kernels::Recipe::fp8, kernels::Recipe::nvfp4);
  EXPECT_EQ(other.job.gpus, choose(request, kernels::Recipe::nvfp4).job.gpus);
  EXPECT_EQ(std::ranges::count(other.job.keep_bf16, true), 2);
  EXPECT_TRUE(says(other.note, "Layers in BF16: first:1;last:1"));
}

TEST(JobChoice, UsesDefaultsWithoutPublishedResults) {
  const ChosenJob chosen = choose(request_of("nemotron-super-49b", "gb200"), kernels::Recipe::bf16);
  EXPECT_EQ(chosen.job.gpus, 8);
  EXPECT_TRUE(says(chosen.note, "No published results for nemotron-super-49b"));
}

}  // namespace
}  // namespace mansard::analysis
