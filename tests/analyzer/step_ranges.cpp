// SPDX-License-Identifier: Apache-2.0
// The ranges that mark the steps of a program.
#include "analyzer/steps/step_ranges.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

TEST(StepRanges, AreOutermostAndClosed) {
  ProfileBuilder builder;
  builder.range(100, 200, "step 1").range(120, 150, "step 11").range(200, 300, "step 2");
  builder.range(300, -1, "step 3").range(310, 320, "my stepping stone");
  builder.range(400, 400, "step 4", kMainThread, store::NvtxEventType::mark);
  const analysis::StepRanges found = analysis::find_step_ranges(builder.build());
  ASSERT_EQ(found.ranges.size(), 2u);
  EXPECT_EQ(found.ranges[1].name, "step 2");
  EXPECT_EQ(analysis::step_at(found.ranges, 99), std::nullopt);
  EXPECT_EQ(analysis::step_at(found.ranges, 100), 0u);
  EXPECT_EQ(analysis::step_at(found.ranges, 199), 0u);
  EXPECT_EQ(analysis::step_at(found.ranges, 200), 1u);  // an end belongs to what follows
  EXPECT_EQ(analysis::step_at(found.ranges, 300), std::nullopt);
}

TEST(StepRanges, RecordedPartlyDoNotCount) {
  ProfileBuilder builder;
  builder.range(0, 10, "train_step").range(10, 20, "train_step");
  builder.profile().nvtx.front().began_earlier = true;
  EXPECT_EQ(analysis::find_step_ranges(builder.build()).ranges.size(), 1u);
}

// XLA compiles and tunes a program in ranges that cover more time than its executions.
TEST(StepRanges, OfXlaAreTheExecutionsOfTheProgramThatTakesMostTime) {
  ProfileBuilder builder;
  builder.range(0, 900, "XlaCompile:#module=jit_update#");
  for (int i = 0; i < 9; ++i) {
    builder.range(100 + 20 * i, 110 + 20 * i, "XlaModule:#hlo_module=gemm_fusion_dot.11#");
    builder.range(400 + 20 * i, 419 + 20 * i, "Thunk:#name=jit(step)/dot_general,hlo_op=dot#");
  }
  builder.range(910, 990, "XlaModule:#hlo_module=jit__normal,program_id=4#");  // loads it
  for (int i = 0; i < 4; ++i) {
    builder.range(1000 + 20 * i, 1001 + 20 * i, "XlaModule:#hlo_module=jit__normal,program_id=4#");
    builder.range(1002 + 20 * i, 1012 + 20 * i, "XlaModule:#hlo_module=jit_update,program_id=7#");
  }
  const analysis::StepRanges found = analysis::find_step_ranges(builder.build());
  EXPECT_EQ(found.kind, "jit_update");
  EXPECT_EQ(found.ranges.size(), 4u);
  EXPECT_EQ(found.ranges[3].name, "jit_update 3");
  EXPECT_EQ(analysis::describe(found), "executions of the XLA program 'jit_update'");
}

TEST(StepRanges, OfXlaPreferAProgramCalledStep) {
  ProfileBuilder builder;
  for (int i = 0; i < 4; ++i) {
    builder.range(20 * i, 20 * i + 15, "XlaModule:#hlo_module=jit_load,program_id=4#");
    builder.range(20 * i + 15, 20 * i + 18, "XlaModule:#hlo_module=jit_train_step,program_id=7#");
  }
  const store::Profile profile = builder.build();
  EXPECT_EQ(analysis::find_step_ranges(profile).kind, "jit_train_step");
  builder.range(0, 10, "step 1");  // the program's own ranges come first
  EXPECT_EQ(analysis::find_step_ranges(builder.build()).kind, "step #");
}

// An optimizer step ends a training step. The first one starts with the thread's first range.
TEST(StepRanges, EndWithTheOptimizer) {
  ProfileBuilder builder;
  builder.range(5, 10, "aten::linear");
  for (int i = 1; i <= 3; ++i) {
    builder.range(100 * i - 20, 100 * i, "Optimizer.step#AdamW.step");
    builder.range(100 * i + 10, 100 * i + 40, "aten::linear");
  }
  const analysis::StepRanges found = analysis::find_step_ranges(builder.build());
  ASSERT_EQ(found.ranges.size(), 3u);
  EXPECT_EQ(found.ranges[0].start_ns, 5);
  EXPECT_EQ(found.ranges[0].end_ns, 100);
  EXPECT_EQ(found.ranges[2].start_ns, 200);
  EXPECT_EQ(found.ranges[2].end_ns, 300);
}

TEST(StepRanges, OfServersAndTrainers) {
  for (const char* name :
       {"execute_context_1(96)_generation_0(0)", "execute_8192_context_9(1)_generation_0(0)",
        "step[DECODE bs=32]", "[pl][profile]run_training_batch", "ProfilerStep#7"}) {
    ProfileBuilder builder;
    builder.range(0, 10, "aten::linear").range(0, 10, name);
    EXPECT_EQ(analysis::find_step_ranges(builder.build()).kind, analysis::without_numbers(name));
  }
}

}  // namespace
}  // namespace mansard::test
