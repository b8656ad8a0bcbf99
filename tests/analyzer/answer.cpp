// SPDX-License-Identifier: Apache-2.0
// The answer to how long a step takes, how far it is from speed of light, and what to change first.
#include "analyzer/answer.h"

#include <gtest/gtest.h>

#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

analysis::Answer answer_of(const analysis::RunAnalysis& run) {
  return {run, analysis::RunUnit(run)};
}

// Three steps of 10 ms: a GEMM of 4 ms with a SOL time of 1 ms, then idle time.
ProfileBuilder three_steps() {
  ProfileBuilder b;
  for (int step = 0; step < 3; ++step) {
    const std::int64_t start = 10 * step * kMs;
    b.range(start, start + 10 * kMs, "step " + std::to_string(step));
    b.range(start, start + kMs, "gemm | flop=1e9 precision=bf16");
    b.launch(start + 1'000, start + 10'000, start + 10'000 + 4 * kMs, "gemm_slow");
  }
  return b;
}

TEST(Answer, StatesStepSlowdownAndLargestSavings) {
  const analysis::RunAnalysis run = analysis::analyze_run(three_steps().build(), {test_machine()});
  const analysis::Answer answer = answer_of(run);
  EXPECT_EQ(answer.how_long.value, "10.0 ms");
  EXPECT_EQ(answer.how_long.label, "per step");
  EXPECT_NE(answer.how_long.text.find("A typical step takes 10.0 ms"), std::string::npos);
  EXPECT_EQ(answer.how_far.value, "10.0x") << "idle time of 6 ms included";
  ASSERT_TRUE(answer.distance);
  EXPECT_NEAR(answer.distance->slowdown(), 10, 0.01);
  EXPECT_NEAR(answer.distance->sol_s, 1e-3, 1e-6);
  EXPECT_FALSE(answer.distance->lower_bound);
  EXPECT_FALSE(answer.distance->kernels_only);
  EXPECT_NE(answer.how_far.text.find("would take 1.00 ms"), std::string::npos);
  EXPECT_EQ(answer.how_far.label, "SOL time");
  ASSERT_EQ(answer.first.size(), 2u);
  EXPECT_EQ(answer.first[0].id, "idle_time");  // 6 ms
  EXPECT_EQ(answer.first[1].id, "slow_kernel");
  EXPECT_EQ(saving_text(answer.first[1], analysis::RunUnit(run)),
            "up to 3.00 ms per step (30.0 %)");
  for (const analysis::Advice& advice : answer.first) EXPECT_FALSE(advice.remedy.empty());
}

// 10 ms with 4 ms of idle time, and 2 ms with unknown work, which count as measured. A slowdown of
// the known kernels only would be 4.
TEST(Answer, CountsUnknownWorkAsMeasured) {
  ProfileBuilder b = three_steps();
  for (int step = 0; step < 3; ++step) {
    const std::int64_t start = 10 * step * kMs;
    b.launch(start + 2 * kMs, start + 5 * kMs, start + 7 * kMs, "unknown");
  }
  const analysis::Answer answer = answer_of(analysis::analyze_run(b.build(), {test_machine()}));
  EXPECT_EQ(answer.how_far.value, "at least 3.33x");
  ASSERT_TRUE(answer.distance);
  EXPECT_TRUE(answer.distance->lower_bound);
  EXPECT_NE(answer.how_far.text.find("known for 66.7 %"), std::string::npos) << answer.how_far.text;
}

TEST(Answer, SaysWhyValuesAreNotAvailable) {
  const analysis::Answer empty = answer_of(analysis::analyze_run(store::Profile{}, {}));
  EXPECT_EQ(empty.how_long.value, "");
  EXPECT_EQ(empty.how_long.text, "The profile has no activity.");
  EXPECT_EQ(empty.how_far.text, "");
  EXPECT_TRUE(empty.first.empty());

  ProfileBuilder unknown;
  unknown.launch(5, 0, 4 * kMs, "a_kernel");
  const analysis::Answer no_work =
      answer_of(analysis::analyze_run(unknown.build(), {test_machine()}));
  EXPECT_EQ(no_work.how_long.value, "4.00 ms");
  EXPECT_EQ(no_work.how_far.value, "");
  EXPECT_FALSE(no_work.distance);
  EXPECT_NE(no_work.how_far.text.find("no speed-of-light time"), std::string::npos);
}

}  // namespace
}  // namespace mansard::test
