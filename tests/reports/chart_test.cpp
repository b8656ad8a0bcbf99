// SPDX-License-Identifier: Apache-2.0
// Charts in the page: above their tables, with text alternatives and escaped names; and the
// sections of recorded steps.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "analyzer/compare/comparison_finding.h"
#include "analyzer/explain/ledger.h"
#include "analyzer/predict/prediction_findings.h"
#include "analyzer/what_if.h"
#include "reports/figure/chart_data.h"
#include "reports/figure/chart_text.h"
#include "reports/figure/shown_chart.h"
#include "reports/formats/format.h"
#include "reports/formats/machine_table.h"
#include "reports/report.h"
#include "reports/web/html.h"
#include "support/text.h"
#include "tests/analyzer/profile_builder.h"
#include "tests/reports/fixture.h"
#include "tests/reports/page_text.h"

namespace mansard::reports {
namespace {

// Three steps of 10 µs each: a GEMM of 6 µs with a SOL time of 2 µs, a kernel of 2 µs without known
// work, and 2 µs idle.
analysis::RunAnalysis stepping_run(const std::string& unknown_kernel = "my_kernel") {
  test::ProfileBuilder builder;
  for (int step = 0; step < 3; ++step) {
    const std::int64_t call = 100 * (step + 1);
    const std::int64_t start = 10'000 * (step + 1);
    builder.range(call, call + 90, "step " + std::to_string(step));
    builder.range(call + 10, call + 30, "gemm | flop=2e6 precision=bf16 class=gemm");
    builder.launch(call + 20, start, start + 6000, "gemm_a");
    builder.launch(call + 50, start + 6000, start + 8000, unknown_kernel);
  }
  return analysis::analyze_run(builder.build(), {test::test_machine()});
}

// A kernel of 3 µs on one GPU and of 4 µs on the other.
analysis::RunAnalysis run_of_two_gpus() {
  test::ProfileBuilder builder;
  builder.launch(100, 1000, 4000, "gemm_a");
  builder.launch(200, 1000, 5000, "gemm_a").device_id = 1;
  return analysis::analyze_run(builder.build(), {test::test_machine()});
}

analysis::Finding ledger_of(const analysis::RunAnalysis& run) {
  return analysis::ledger_finding(analysis::explain_run(run), "Where a step's time goes");
}

TEST(Chart, StandsAboveItsTable) {
  const analysis::Table table = ledger_of(stepping_run()).tables.front();
  const std::string html = html_table(table);
  EXPECT_EQ(html.find("<figure class=\"chart\">"), 0u);
  EXPECT_EQ(occurrences(html, "<svg class=\"chart wide\""), 1u);
  EXPECT_EQ(occurrences(html, "<svg class=\"chart narrow\""), 1u);
  EXPECT_LT(html.find("</figure>"), html.find("<table"));
  const std::string alone = html_table(table, {.chart = false});
  EXPECT_EQ(html, html_chart(table) + alone);
}

TEST(Chart, TextAlternativeHasTheNumbers) {
  const analysis::Table table = ledger_of(stepping_run()).tables.front();
  const std::string words = figure::describe_chart(figure::read_chart(table, 100).value());
  EXPECT_EQ(words,
            "From kernel SOL time to measured step. From kernel SOL time 2.00 µs to measured "
            "step 10.0 µs; largest changes: gemm kernels +4.00 µs, kernels without SOL time "
            "+2.00 µs, idle: between kernels +2.00 µs. The table below lists the same values.");
  EXPECT_EQ(occurrences(html_chart(table), "role=\"img\" aria-label=\"" + escape_html(words) + '"'),
            2u);
}

TEST(Chart, EveryBarHasATooltip) {
  const analysis::Table table = ledger_of(stepping_run()).tables.front();
  const std::string svg = between(html_chart(table), "<svg", "</svg>");
  for (const char* title :
       {"gemm kernels: +4.00 µs. Measured - SOL time on this machine", "measured step: 10.0 µs"}) {
    EXPECT_EQ(occurrences(svg, "<title>" + std::string(title)), 1u) << title;
  }
}

TEST(Chart, DescribesBarsAndParts) {
  analysis::Table bars =
      ceiling_tables(fixture::h200().devices.front(), roofline::Origin::measured).front();
  const std::string words = figure::describe_chart(figure::read_chart(bars, 3).value());
  EXPECT_NE(words.find("Bars of rate: FP8 E4M3 1.77 PFLOP/s"), std::string::npos) << words;
  EXPECT_NE(words.find(" and 4 more."), std::string::npos) << words;
  const analysis::Finding steps = analysis::analysis_registry().find("steps")->run(stepping_run());
  const std::string parts =
      figure::describe_chart(figure::read_chart(steps.tables[0], 100).value());
  EXPECT_NE(parts.find("GPU 0 10.0 µs: gemm 6.00 µs, other 2.00 µs, idle: between kernels "
                       "2.00 µs"),
            std::string::npos)
      << parts;
}

TEST(Chart, HasABarPerGpu) {
  const analysis::RunAnalysis run = run_of_two_gpus();
  for (const char* name : {"steps", "ranks"}) {
    const analysis::Finding finding = analysis::analysis_registry().find(name)->run(run);
    const figure::ChartData data = figure::read_chart(finding.tables.front(), 100).value();
    ASSERT_EQ(data.bars.size(), 2u) << name;
    EXPECT_EQ(data.bars[1].label, "GPU 1");
    EXPECT_NEAR(data.bars[0].sum(), 3e-6, 1e-15) << name;
    EXPECT_NEAR(data.bars[1].sum(), 4e-6, 1e-15) << name;
    EXPECT_EQ(data.series.size(), 1u) << "what no bar has is left out";
  }
}

TEST(Chart, CaptionNamesTheDrawnRows) {
  analysis::Table table =
      ceiling_tables(fixture::h200().devices.front(), roofline::Origin::measured).front();
  const std::vector<analysis::Cell> row = table.rows.front();
  for (int i = 0; i < 40; ++i) table.rows.push_back(row);
  const auto expect_caption = [&](std::string_view part) {
    const std::string caption = figure::chart_caption(table, *figure::chart_to_show(table));
    EXPECT_NE(caption.find(part), std::string::npos) << caption;
    EXPECT_NE(html_chart(table).find("<figcaption>" + escape_html(caption) + "</figcaption>"),
              std::string::npos);
  };
  expect_caption(table.chart->selection);
  analysis::Table whole =
      ceiling_tables(fixture::h200().devices.front(), roofline::Origin::measured).front();
  EXPECT_EQ(html_chart(whole).find("<figcaption>"), std::string::npos);
  table.chart->rows.clear();
  EXPECT_EQ(figure::chart_to_show(table)->bars.size(), 24u);
  EXPECT_EQ(figure::chart_to_show(table)->left_out, 47u - 24u);
  expect_caption("24 of 47");
}

// Ceilings measured with zeros are neither used for the analysis nor drawn.
TEST(Chart, DrawsOnlyTheCeilingsUsedForAnalysis) {
  roofline::DeviceModel device = fixture::h200().devices.front();
  roofline::Ceiling zeros = *device.find("bf16_mma");
  zeros.id += "@zeros";
  zeros.data_pattern = "zeros";
  zeros.value *= 1.1;
  device.ceilings.push_back(zeros);
  const analysis::Table table = ceiling_tables(device, roofline::Origin::measured).front();
  const figure::ChartData data = figure::read_chart(table, 100).value();
  EXPECT_EQ(table.rows.size(), 8u);
  ASSERT_EQ(data.bars.size(), 7u);
  const auto bf16 = std::ranges::find(data.bars, "BF16", &figure::ChartBar::label);
  ASSERT_NE(bf16, data.bars.end());
  EXPECT_EQ(bf16->values.front().value, 941e12);
}

TEST(Chart, ASingleNumberHasNoFigure) {
  analysis::Table table =
      ceiling_tables(fixture::h200().devices.front(), roofline::Origin::measured).front();
  table.rows.resize(1);
  EXPECT_EQ(html_chart(table), "");
  table.rows.clear();
  EXPECT_EQ(html_chart(table), "");
  analysis::Table zeroes = ledger_of(stepping_run()).tables.front();
  for (std::vector<analysis::Cell>& row : zeroes.rows) row[2] = row[4] = 0.0;
  EXPECT_EQ(html_chart(zeroes), "");
}

TEST(Chart, EscapesNames) {
  const std::string hostile = fixture::hostile_name();
  const std::string page = render_html({{stepping_run(hostile)}, {}, "", ""});
  const std::string body = page.substr(0, page.rfind("<script>"));
  EXPECT_EQ(occurrences(body, "<script>alert"), 0u);
  EXPECT_EQ(body, valid_utf8(body));
  analysis::Table table = ledger_of(stepping_run()).tables.front();
  table.title = hostile;
  for (std::vector<analysis::Cell>& row : table.rows) row[1] = hostile;
  table.columns[4].label = hostile;
  const std::string svg = html_chart(table);
  EXPECT_EQ(occurrences(svg, "<b>"), 0u);
  EXPECT_EQ(occurrences(svg, "<script"), 0u);
  EXPECT_EQ(svg.find('\x1b'), std::string::npos);
}

// Text formats are the same without charts.
TEST(Chart, DoesNotChangeTextFormats) {
  analysis::Finding with = ledger_of(stepping_run());
  analysis::Finding without = with;
  for (analysis::Table& table : without.tables) table.chart.reset();
  for (const Format format : {Format::table, Format::json, Format::csv, Format::markdown}) {
    EXPECT_EQ(render({with}, format), render({without}, format));
  }
}

void expect_charts_are_of_their_tables(const analysis::Finding& finding,
                                       std::set<std::string>& seen) {
  for (const analysis::Table& table : finding.tables) {
    if (!table.chart) continue;
    seen.insert(finding.id + '.' + table.id);
    const analysis::Chart& chart = *table.chart;
    std::vector<std::string> keys = chart.label_keys;
    keys.insert(keys.end(), chart.value_keys.begin(), chart.value_keys.end());
    for (const std::string& key : {chart.total_key, chart.part_key, chart.part_kind_key,
                                   chart.reference_key, chart.fraction_key}) {
      // An empty column of fractions is omitted.
      if (!key.empty() && key != chart.fraction_key) keys.push_back(key);
    }
    for (const std::string& key : keys) {
      EXPECT_NE(std::ranges::find(table.columns, key, &analysis::Column::key), table.columns.end())
          << finding.id << '.' << table.id << " has no column " << key;
    }
    EXPECT_EQ(figure::read_chart(table, 100).has_value(), !table.rows.empty());
  }
}

analysis::StepPrediction predicted(kernels::Recipe recipe) {
  analysis::TrainingJob job;
  job.model = *kernels::find_transformer_model("llama3-8b");
  job.recipe = recipe;
  job.keep_bf16.assign(analysis::layers_of(job.model).size(), false);
  return analysis::predict_step(job, *analysis::find_target_machine("gb200"), {});
}

analysis::Finding predicted_ledger() {
  return analysis::ledger_finding(predicted(kernels::Recipe::bf16),
                                  predicted(kernels::Recipe::nvfp4),
                                  *analysis::find_target_machine("gb200"));
}

TEST(Chart, UsesColumnsOfItsTable) {
  std::set<std::string> seen;
  const analysis::RunAnalysis run = stepping_run();
  for (const analysis::AnalysisSpec& analysis : analysis::analysis_registry().all()) {
    expect_charts_are_of_their_tables(analysis.run(run), seen);
  }
  const analysis::Finding ranks =
      analysis::analysis_registry().find("ranks")->run(run_of_two_gpus());
  expect_charts_are_of_their_tables(ranks, seen);
  expect_charts_are_of_their_tables(machine_finding(fixture::h200()), seen);
  expect_charts_are_of_their_tables(ledger_of(run), seen);
  const analysis::Ledger gap = analysis::explain_gap(run, run, {.ceiling_ratio = 2.0});
  expect_charts_are_of_their_tables(analysis::ledger_finding(gap, "gap"), seen);
  expect_charts_are_of_their_tables(
      analysis::what_if_finding(run, {analysis::parse_what_if("gemm=2x")}), seen);
  expect_charts_are_of_their_tables(analysis::comparison_finding(analysis::compare_runs(run, run)),
                                    seen);
  const analysis::StepPrediction bf16 = predicted(kernels::Recipe::bf16);
  expect_charts_are_of_their_tables(
      analysis::step_finding(bf16, *analysis::find_target_machine("gb200"), {}), seen);
  expect_charts_are_of_their_tables(predicted_ledger(), seen);
  for (const char* known :
       {"steps.step_time", "steps.steps", "summary.bounds", "classes.classes", "ranges.ranges",
        "step_ledger.ledger", "gap_ledger.ledger", "machine.compute", "machine.bandwidth",
        "what_if.what_if", "step_bf16.parts", "ledger.ledger", "ranks.ranks"}) {
    EXPECT_TRUE(seen.contains(known)) << known;
  }
}

// The figure ends at the table's value for all three kinds of ledgers.
TEST(Chart, LedgerAddsUp) {
  const analysis::RunAnalysis run = stepping_run();
  const analysis::Ledger gap = analysis::explain_gap(run, run, {.ceiling_ratio = 2.0});
  const analysis::Finding prediction = predicted_ledger();
  for (const analysis::Table& table :
       {ledger_of(run).tables.front(), analysis::ledger_finding(gap, "gap").tables.front(),
        prediction.tables.front()}) {
    const figure::ChartData data = figure::read_chart(table, 100).value();
    ASSERT_EQ(data.kind, analysis::ChartKind::waterfall);
    ASSERT_GE(data.bars.size(), 3u);
    double sum = 0;
    for (const figure::ChartBar& bar : data.bars) sum += bar.values.front().value;
    const double end = data.bars.back().values.front().value;
    EXPECT_NEAR(sum, 2 * end, 1e-9 * end) << table.title;
  }
  EXPECT_TRUE(figure::read_chart(prediction.tables.front(), 100)->more_is_better);
}

TEST(StepSections, ShowLedgerAndSteps) {
  const std::string page = render_html({{stepping_run()}, {}, "", ""});
  const analysis::Finding finding = ledger_of(stepping_run());
  EXPECT_NEAR(finding.ledger->measured_s, 10e-6, 1e-12);
  const std::string ledger = between(page, "<section id=\"run1-ledger\"", "</section>");
  EXPECT_NE(ledger.find("<h3>Where a step&#39;s time goes</h3>"), std::string::npos);
  EXPECT_NE(ledger.find(escape_html(finding.summary)), std::string::npos);
  EXPECT_EQ(ledger.find("<svg"), std::string::npos) << "table and waterfall are one figure";
  const std::string gemm = between(ledger, ">gemm kernels</th>", "</tbody>");
  EXPECT_NE(gemm.find("<td class=\"n\">+4.00 µs</td>"), std::string::npos) << gemm;
  EXPECT_NE(gemm.find("<span class=\"bar loss\""), std::string::npos) << gemm;
  EXPECT_NE(gemm.find("<summary aria-label=\"gemm kernels: 1 kernel\">"), std::string::npos)
      << gemm;
  const std::string unknown = between(ledger, ">kernels without SOL time</th>", "</tbody>");
  EXPECT_NE(unknown.find(": 1 kernel\">"), std::string::npos)
      << "a kernel without a value in some columns is a kernel: " << unknown;
  EXPECT_EQ(occurrences(ledger, "data-name=\"ledger_kernels_of_line\""), 2u)
      << "idle time has no kernels behind it";
  EXPECT_NE(ledger.find(">gemm_a"), std::string::npos);

  const std::string steps = between(page, "<section id=\"run1-steps\"", "</section>");
  EXPECT_EQ(occurrences(steps, "<figure class=\"chart\">"), 2u)
      << "a typical step, and all of them";
  EXPECT_NE(steps.find("data-name=\"step_time\""), std::string::npos);
  EXPECT_NE(steps.find("gemm, 6.00 µs (60.0 %)"), std::string::npos);
  EXPECT_EQ(occurrences(page, "data-name=\"step_time\""), 1u)
      << "shown in the section Analyses, too";
}

TEST(StepSections, AreOmittedWithoutStepsOrSolTimes) {
  analysis::RunAnalysis nothing;
  nothing.title = "nothing";
  const std::string empty = render_html({{nothing}, {}, "", ""});
  EXPECT_EQ(empty.find("run1-ledger"), std::string::npos);
  EXPECT_EQ(empty.find("run1-steps"), std::string::npos);
  const analysis::RunAnalysis renamed =
      analysis::analyze_run(stepping_run().profile, {}, {.step_range = "no such range"});
  const std::string page = render_html({{renamed}, {}, "", ""});
  EXPECT_EQ(page.find("run1-ledger"), std::string::npos);
  EXPECT_EQ(page.find("run1-steps"), std::string::npos);
  const analysis::RunAnalysis unknown = analysis::analyze_run(stepping_run().profile, {});
  EXPECT_EQ(render_html({{unknown}, {}, "", ""}).find("run1-ledger"), std::string::npos);
}

}  // namespace
}  // namespace mansard::reports
