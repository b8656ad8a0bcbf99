// SPDX-License-Identifier: Apache-2.0
// Pages of several runs: the table of runs, their trend, and the parts of their steps.
#include <gtest/gtest.h>

#include "analyzer/answer.h"
#include "analyzer/compare/runs_finding.h"
#include "analyzer/steps/run_unit.h"
#include "reports/comparison_part.h"
#include "tests/reports/fixture.h"
#include "tests/reports/page_text.h"
#include "tests/reports/timeline_fixture.h"

namespace mansard::reports {
namespace {

constexpr std::int64_t kDay_ns = 86'400'000'000'000;
constexpr std::int64_t kStart_ns = 1'760'000'000'000'000'000;  // 2025-10-09 08:53:20 UTC

// A run of `launches` kernels per step, `days` after the first one.
analysis::RunAnalysis run_on(std::int64_t days, int launches, const std::string& title) {
  analysis::RunAnalysis run = fixture::long_recording(6, launches);
  run.title = title;
  run.profile.session.start_utc_ns = kStart_ns + days * kDay_ns;
  return run;
}

std::size_t column_of(const analysis::Table& table, std::string_view key) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].key == key) return i;
  }
  ADD_FAILURE() << "no column " << key;
  return 0;
}

double number(const analysis::Table& table, std::size_t row, std::string_view key) {
  return std::get<double>(table.rows.at(row).at(column_of(table, key)));
}

TEST(RunsFinding, ComparesEachRunWithTheFirst) {
  const std::vector<analysis::RunAnalysis> runs = {run_on(0, 100, "one"), run_on(0, 200, "two")};
  const analysis::Finding finding = analysis::runs_finding(runs);
  ASSERT_EQ(finding.tables.size(), 2u) << "two runs of one day have no trend";
  const analysis::Table& table = finding.tables[0];
  ASSERT_EQ(table.rows.size(), 2u);
  const double first_s = analysis::RunUnit(runs[0]).time_s();
  const double second_s = analysis::RunUnit(runs[1]).time_s();
  EXPECT_GT(second_s, 1.5 * first_s);
  EXPECT_DOUBLE_EQ(number(table, 0, "step_s"), first_s);
  EXPECT_DOUBLE_EQ(number(table, 1, "step_s"), second_s);
  EXPECT_DOUBLE_EQ(number(table, 1, "difference"), second_s / first_s - 1);
  EXPECT_TRUE(
      std::holds_alternative<std::monostate>(table.rows[0][column_of(table, "difference")]));
  EXPECT_EQ(std::get<std::string>(table.rows[0][column_of(table, "date_utc")]), "2025-10-09 08:53");
  for (const analysis::Column& column : table.columns) EXPECT_NE(column.key, "run_s");
}

// The table has the slowdown that the answer of the run states.
TEST(RunsFinding, HasTheSlowdownOfTheAnswer) {
  std::vector<analysis::RunAnalysis> runs(2, fixture::training_step());
  runs[1].busy_s *= 0.5;  // idle for more of the time
  const analysis::Table table = analysis::runs_finding(runs).tables[0];
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const analysis::Answer answer{runs[i], analysis::RunUnit(runs[i])};
    ASSERT_TRUE(answer.distance);
    EXPECT_DOUBLE_EQ(number(table, i, "slowdown"), answer.distance->slowdown());
  }
}

TEST(RunsFinding, PartsAddUpToTheSteps) {
  const std::vector<analysis::RunAnalysis> runs = {run_on(0, 100, "one"), run_on(0, 200, "two")};
  const analysis::Table parts = analysis::runs_finding(runs).tables[1];
  ASSERT_TRUE(parts.chart);
  EXPECT_EQ(parts.chart->kind, analysis::ChartKind::stacked_bars);
  for (const analysis::RunAnalysis& run : runs) {
    double sum_s = 0;
    for (std::size_t i = 0; i < parts.rows.size(); ++i) {
      if (std::get<std::string>(parts.rows[i][0]) == run.title) sum_s += number(parts, i, "time_s");
    }
    const double step_s = analysis::RunUnit(run).time_s();
    EXPECT_NEAR(sum_s, step_s, 1e-9 * step_s) << run.title;
  }
}

TEST(RunsFinding, HasATrendOverDays) {
  const std::vector<analysis::RunAnalysis> runs = {run_on(2, 300, "c"), run_on(0, 100, "a"),
                                                   run_on(1, 200, "b")};
  const analysis::Finding finding = analysis::runs_finding(runs);
  ASSERT_EQ(finding.tables.size(), 3u);
  const analysis::Table& trend = finding.tables[2];
  EXPECT_EQ(trend.title, "Step time from 2025-10-09 to 2025-10-11");
  ASSERT_EQ(trend.rows.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(number(trend, i, "day"), static_cast<double>(i)) << "oldest first";
  }
  EXPECT_LT(number(trend, 0, "step_s"), number(trend, 2, "step_s"));
}

TEST(RunsFinding, RunsWithoutKernelsHaveNoTimes) {
  analysis::RunAnalysis empty;
  empty.title = "empty";
  const analysis::Finding finding = analysis::runs_finding({run_on(0, 100, "one"), empty});
  const analysis::Table& table = finding.tables[0];
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[1][column_of(table, "step_s")]));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[1][column_of(table, "date_utc")]));
  EXPECT_EQ(analysis::runs_finding({}).tables.size(), 0u);
}

TEST(RunsPage, StartsWithTheTableOfRuns) {
  ReportInput input;
  input.runs = {run_on(0, 100, "one"), run_on(1, 200, "<two>"), run_on(2, 300, "three")};
  const std::string page = render_html(input);
  EXPECT_LT(page.find("<article id=\"runs\">"), page.find("<article id=\"run1\">"));
  const std::string overview = between(page, "<article id=\"runs\">", "</article>");
  EXPECT_NE(overview.find("<a href=\"#run2\">&lt;two&gt;</a>"), std::string::npos);
  EXPECT_EQ(occurrences(overview, "<figure class=\"chart\">"), 2u) << "trend and parts";
  // The details of the runs are closed, their answers are not.
  EXPECT_NE(
      between(page, "<section id=\"run2-kernels\"", "</section>").find("<details class=\"fold\">"),
      std::string::npos);
  EXPECT_EQ(between(page, "<section id=\"run2-answer\"", "</section>").find("class=\"fold\""),
            std::string::npos);
  EXPECT_EQ(report_findings(input).front().id, "runs");
}

TEST(RunsPage, OneRunOrOneComparisonHasNoTableOfRuns) {
  ReportInput input;
  input.runs = {run_on(0, 100, "one")};
  EXPECT_EQ(render_html(input).find("<article id=\"runs\">"), std::string::npos);
  input.runs.push_back(run_on(1, 200, "two"));
  EXPECT_NE(render_html(input).find("<article id=\"runs\">"), std::string::npos);
  input.parts.push_back(comparison_part(input.runs[0], input.runs[1]));
  EXPECT_EQ(render_html(input).find("<article id=\"runs\">"), std::string::npos)
      << "the comparison says the same";
}

}  // namespace
}  // namespace mansard::reports
