// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/regression_gate.h"

#include <functional>

#include <gtest/gtest.h>

#include "analyzer/compare/comparison_finding.h"
#include "tests/analyzer/compared_runs.h"

namespace mansard::test {
namespace {

TEST(RegressionGate, FailsAboveTheLimit) {
  // Busy +33.3 %, gemm +50 %, copy 0.
  const analysis::RunComparison c = analysis::compare_runs(run_of(2 * kMs), run_of(3 * kMs));
  const auto failed = [&](const analysis::GateLimits& limits) {
    std::vector<std::string> names;
    for (const analysis::GateCheck& check : analysis::check_gate(c, limits)) {
      if (check.failed) names.push_back(check.what);
    }
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(failed({.total = 0.3}), (Names{"busy time per run"}));
  EXPECT_EQ(failed({.total = 0.34}), Names());
  EXPECT_EQ(failed({.period = 0.3}), (Names{"span"}));
  EXPECT_EQ(failed({.kernel = 0.4}), (Names{"kernel gemm_product"}));
  EXPECT_EQ(failed({.kernel = 0.51}), Names());
  EXPECT_EQ(failed({.every_class = 0.4}), (Names{"class gemm"}));
  EXPECT_EQ(failed({.classes = {{"gemm", 0.4}}}), (Names{"class gemm"}));
  EXPECT_EQ(failed({.every_class = 0.4, .classes = {{"gemm", 0.6}}}), Names());
  EXPECT_THROW(analysis::check_gate(c, {.classes = {{"gem", 0.1}}}), std::runtime_error);
  EXPECT_EQ(describe(analysis::check_gate(c, {.total = 0.03}).front()),
            "busy time per run: +33.33 %, exceeds the limit of 3.00 %");
}

TEST(RegressionGate, PassesIfFasterOrWithinNoise) {
  EXPECT_FALSE(
      analysis::check_gate(analysis::compare_runs(run_of(3 * kMs), run_of(2 * kMs)), {.total = 0.0})
          .front()
          .failed);
  // +20 % of the median, but the launches scatter by as much (see NoiseIsNotARegression).
  const analysis::RunComparison noisy =
      analysis::compare_runs(run_of(2 * kMs, 400'000), run_of(2'400'000, 400'000));
  const std::vector<analysis::GateCheck> checks = analysis::check_gate(noisy, {.kernel = 0.05});
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_FALSE(checks.front().failed);
  EXPECT_TRUE(checks.front().beyond);
  EXPECT_TRUE(checks.front().value.within_noise());
}

TEST(RegressionGate, IgnoresSmallKernels) {
  // The copy takes 0.1 % of the kernels' time and doubles.
  const auto run = [](std::int64_t copy_ns) {
    ProfileBuilder b;
    b.launch(0, 0, 100 * kMs, "gemm_product");
    b.launch(1, 200 * kMs, 200 * kMs + copy_ns, "copy_mover");
    return analysis::analyze_run(b.build(), {});
  };
  const analysis::RunComparison c = analysis::compare_runs(run(100'000), run(200'000));
  EXPECT_TRUE(analysis::check_gate(c, {.kernel = 0.1, .every_class = 0.1}).empty());
  // A named class is always checked.
  EXPECT_EQ(analysis::check_gate(c, {.classes = {{"copy", 0.1}}}).size(), 1u);
}

// The error of check_gate(), or "checked".
std::string refusal(const analysis::RunAnalysis& a, const analysis::RunAnalysis& b,
                    const analysis::GateLimits& limits, const std::string& steps = "") {
  try {
    analysis::check_gate(analysis::compare_runs(a, b, steps), limits);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "checked";
}

#define EXPECT_SAYS(message, part) \
  EXPECT_NE((message).find(part), std::string::npos) << "said: " << (message)

TEST(RegressionGate, RefusesIncompleteOrEmptyRuns) {
  const analysis::RunAnalysis good = run_of(2 * kMs);
  ASSERT_EQ(refusal(good, good, {.total = 0.1}), "checked");
  const auto broken = [&](const std::function<void(store::Profile&)>& change) {
    store::Profile profile = good.profile;
    change(profile);
    return analysis::analyze_run(std::move(profile), {});
  };
  const analysis::RunAnalysis empty = broken([](store::Profile& p) { p.kernels.clear(); });
  const analysis::RunAnalysis interrupted =
      broken([](store::Profile& p) { p.session.state = store::RecordingState::interrupted; });
  const analysis::RunAnalysis lossy =
      broken([](store::Profile& p) { p.session.dropped_events = 4; });
  const analysis::RunAnalysis copies = broken([](store::Profile& p) {
    p.kernels.clear();
    p.memcpys.push_back({.start_ns = 1, .end_ns = 2});
  });
  for (const analysis::GateLimits& limits :
       {analysis::GateLimits{.total = 0.1}, analysis::GateLimits{.period = 0.1},
        analysis::GateLimits{.kernel = 0.1}, analysis::GateLimits{.every_class = 0.1},
        analysis::GateLimits{.classes = {{"gemm", 0.1}}}}) {
    EXPECT_SAYS(refusal(good, empty, limits), "run B (tiny) contains no kernels");
    EXPECT_SAYS(refusal(empty, good, limits), "run A (tiny) contains no kernels");
    EXPECT_SAYS(refusal(good, interrupted, limits),
                "run B (tiny) is incomplete: the recording did not finish");
    EXPECT_SAYS(refusal(good, lossy, limits), "4 events were dropped");
    EXPECT_SAYS(refusal(good, copies, limits), "only run A contains kernels");
  }
}

TEST(RegressionGate, ChecksWholeRunsWithoutLaunchesInSteps) {
  const analysis::RunAnalysis good = stepped(4, 2 * kMs);
  store::Profile late = good.profile;
  for (store::ApiRecord& call : late.api_calls) call.start_ns += 1000 * kMs;
  EXPECT_EQ(analysis::compare_runs(good, analysis::analyze_run(std::move(late), {})).unit, "run");
}

TEST(RegressionGate, RefusesLimitsThatCheckNothing) {
  const auto run = [](const std::string& name) {
    ProfileBuilder b;
    b.launch(0, 0, 2 * kMs, name);
    return analysis::analyze_run(b.build(), {});
  };
  EXPECT_SAYS(refusal(run("gemm_old"), run("gemm_new"), {.kernel = 0.1}),
              "no kernel with at least 1 % of the kernel time of run A is in run B");
  EXPECT_SAYS(refusal(run("gemm_old"), run("copy_new"), {.every_class = 0.1}),
              "no class with at least 1 % of the kernel time of run A is in run B");
  EXPECT_SAYS(refusal(stepped(1, kMs), stepped(4, kMs), {.period = 0.1}, "step"), "checked");
  EXPECT_EQ(refusal(stepped(1, kMs), stepped(4, kMs), {.total = 0.1}, "step"), "checked");
}

// 20 ms of GEMMs in both runs, and 20 ms of copies only in B.
TEST(RegressionGate, FailsForTimeThatRunADoesNotHave) {
  ProfileBuilder b;
  b.launch(0, 0, 20 * kMs, "gemm_product");
  const analysis::RunAnalysis before = analysis::analyze_run(b.build(), {});
  b.launch(1, 20 * kMs, 40 * kMs, "copy_mover");
  const analysis::RunComparison c =
      analysis::compare_runs(before, analysis::analyze_run(b.build(), {}));
  const std::vector<analysis::GateCheck> checks =
      analysis::check_gate(c, {.classes = {{"copy", 100.0}}});
  ASSERT_EQ(checks.size(), 1u);
  EXPECT_TRUE(checks.front().failed);
  EXPECT_EQ(describe(checks.front()),
            "class copy: 20.0 ms (none in run A), exceeds the limit of 10000.00 %");
  const analysis::Table table = analysis::gate_finding(checks).tables.front();
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows.at(0).at(2)))
      << "no percentage of zero";
  EXPECT_EQ(std::get<std::string>(table.rows.at(0).at(4)), "failed");
}

}  // namespace
}  // namespace mansard::test
