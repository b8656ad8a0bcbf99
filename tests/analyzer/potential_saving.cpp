// SPDX-License-Identifier: Apache-2.0
// Potential saving per typical step: rows, columns, order of the kernel table, and advice.
#include <gtest/gtest.h>

#include "analyzer/advice/advice.h"
#include "analyzer/kernel_columns.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {
namespace {

// Steps of 20 ms with, from their start: a GEMM of 4 ms (T_sol 1 ms: saving 3 ms), one of 5 ms
// (T_sol 4.5 ms: 0.5 ms), a kernel of `unknown_ms` with unknown work, and a GEMM of 4 ms in another
// stream (T_sol 1 ms) of which only the last millisecond is not hidden behind that kernel.
analysis::RunAnalysis run_of_steps(int steps, std::int64_t unknown_ms) {
  ProfileBuilder b;
  for (int step = 0; step < steps; ++step) {
    const std::int64_t start = 20 * step * kMs;
    b.range(start, start + 20 * kMs, "step " + std::to_string(step));
    const auto gemm = [&](std::int64_t call, std::int64_t begin, std::int64_t end,
                          const std::string& work, const std::string& name) -> auto& {
      b.range(start + call, start + call + 50, name + " | precision=bf16 flop=" + work);
      return b.launch(start + call + 10, start + begin, start + end, name);
    };
    gemm(100, kMs, 5 * kMs, "1e9", "slow");
    gemm(200, 5 * kMs, 10 * kMs, "4.5e9", "good");
    const std::int64_t hidden_end = 10 * kMs + unknown_ms * kMs;
    b.launch(start + 300, start + 10 * kMs, start + hidden_end, "unknown");
    gemm(400, hidden_end - 3 * kMs, hidden_end + kMs, "1e9", "hidden").stream_id = 2;
  }
  return analysis::analyze_run(b.build(), {test_machine()});
}

std::size_t row_named(const analysis::RunAnalysis& run, std::string_view name) {
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (run.rows[i].name == name) return i;
  }
  throw std::logic_error("no such row");
}

analysis::Cell saving_cell_of(const analysis::RunAnalysis& run, std::string_view name) {
  const analysis::KernelEntry entry(run.rows[row_named(run, name)]);
  return at_key(analysis::kernel_columns(), "step_saving_s").value(entry);
}

TEST(PotentialSaving, IsPerStepAndAtMostTheTimeThatIsNotHidden) {
  for (const int steps : {3, 6}) {
    const analysis::RunAnalysis run = run_of_steps(steps, 4);
    EXPECT_NEAR(std::get<double>(saving_cell_of(run, "slow")), 3e-3, 1e-9);
    EXPECT_NEAR(std::get<double>(saving_cell_of(run, "good")), 0.5e-3, 1e-9);
    EXPECT_NEAR(std::get<double>(saving_cell_of(run, "hidden")), 1e-3, 1e-9);
    EXPECT_EQ(saving_cell_of(run, "unknown"), analysis::Cell());
    const analysis::KernelRow& slow = run.rows[row_named(run, "slow")];
    EXPECT_NEAR(slow.step_time_s, 4e-3, 1e-9);
    EXPECT_NEAR(slow.step_share, 0.2, 1e-6);
    EXPECT_DOUBLE_EQ(slow.step_launches, 1);
    EXPECT_NEAR(slow.step_sol_s, 1e-3, 1e-9);
  }
}

TEST(PotentialSaving, OfAGroupIsTheSumOfItsKnownRows) {
  const analysis::RunAnalysis run = run_of_steps(3, 4);
  analysis::KernelEntry group;
  for (const analysis::KernelRow& row : run.rows) group.totals.add(row);
  const auto value = [&](std::string_view key) {
    return std::get<double>(at_key(analysis::kernel_columns(), key).value(group));
  };
  EXPECT_NEAR(value("step_saving_s"), 4.5e-3, 1e-9);
  EXPECT_NEAR(value("step_time_s"), 14e-3, 1e-9);
  EXPECT_NEAR(value("step_share"), 0.7, 1e-6);
  EXPECT_DOUBLE_EQ(value("step_launches"), 4);
}

// Advice and table state the same number.
TEST(PotentialSaving, IsThatOfTheAdvice) {
  const analysis::RunAnalysis run = run_of_steps(3, 4);
  const analysis::RunUnit unit(run);
  std::size_t found = 0;
  for (const analysis::Advice& advice : analysis::advise_on_slow_kernels(run, unit)) {
    ASSERT_EQ(advice.rows.size(), 1u);
    EXPECT_EQ(*advice.saving_s, run.rows[advice.rows.front()].saving_s);
    EXPECT_EQ(unit.saving_s(advice.rows.front()), advice.saving_s);
    ++found;
  }
  EXPECT_EQ(found, 2u) << "slow and hidden";
}

TEST(PotentialSaving, OrdersTheKernelTable) {
  const auto names_in_order = [](const analysis::RunAnalysis& run) {
    std::string names;
    for (const std::size_t row : rows_in_order(run)) names += run.rows[row].name + ' ';
    return names;
  };
  const analysis::RunAnalysis known = run_of_steps(3, 4);
  EXPECT_EQ(kernel_order_key(known), "step_saving_s");
  EXPECT_EQ(kernel_table_title(known), "Kernels by potential saving per step");
  EXPECT_EQ(names_in_order(known), "slow hidden good unknown ");
  // Kernels with unknown work take 4 of 5 ms: the savings of the others say little.
  ProfileBuilder mostly_unknown;
  mostly_unknown.range(100, 200, "slow | precision=bf16 flop=1e8");
  mostly_unknown.launch(150, kMs, 2 * kMs, "slow");
  mostly_unknown.launch(250, 2 * kMs, 6 * kMs, "unknown");
  const analysis::RunAnalysis unknown =
      analysis::analyze_run(mostly_unknown.build(), {test_machine()});
  EXPECT_EQ(kernel_order_key(unknown), "time_s");
  EXPECT_EQ(names_in_order(unknown), "unknown slow ");
  ProfileBuilder b;
  b.launch(5, 0, 4 * kMs, "a_kernel");
  const analysis::RunAnalysis without_work = analysis::analyze_run(b.build(), {test_machine()});
  EXPECT_EQ(kernel_order_key(without_work), "time_s");
  EXPECT_EQ(kernel_table_title(without_work), "Kernels by time");
}

// Without steps, the saving of the whole run.
TEST(PotentialSaving, OfARunWithoutSteps) {
  ProfileBuilder b;
  b.range(100, 200, "slow | precision=bf16 flop=1e9");
  b.launch(150, kMs, 5 * kMs, "slow");
  const analysis::RunAnalysis run = analysis::analyze_run(b.build(), {test_machine()});
  EXPECT_EQ(saving_key(run), "saving_s");
  EXPECT_NEAR(run.rows.front().saving_s, 3e-3, 1e-9);
  EXPECT_EQ(run.rows.front().step_time_s, 0);
}

}  // namespace
}  // namespace mansard::test
