// SPDX-License-Identifier: Apache-2.0
// The training record in the page: beside kernels, alone, and compared.
#include <gtest/gtest.h>

#include "reports/comparison_part.h"
#include "reports/report.h"
#include "reports/report_figure.h"
#include "tests/analyzer/training_record.h"
#include "tests/reports/fixture.h"
#include "tests/reports/page_text.h"

namespace mansard::reports {
namespace {

using test::recorded_run;
using test::training_record;

bool has(const std::string& page, std::string_view text) {
  return page.find(text) != std::string::npos;
}

TEST(NumericsPage, RunsWithoutRecordHaveNoSection) {
  const std::string page = page_of(fixture::training_step());
  EXPECT_FALSE(has(page, "id=\"run1-numerics\""));
  EXPECT_FALSE(has(page, "Training numerics"));
  EXPECT_TRUE(has(page, "id=\"run1-roofline\""));
}

TEST(NumericsPage, ShowsTheRecordBesideTheKernels) {
  analysis::RunAnalysis run = fixture::training_step();
  test::add_record(run.profile, training_record(21));
  const std::string page = page_of(std::move(run));
  const std::size_t section = page.find("<section id=\"run1-numerics\"");
  ASSERT_NE(section, std::string::npos);
  const std::string html = page.substr(section, page.find("</section>", section) - section);
  EXPECT_TRUE(has(html, "Lowest SNR: dy in wgrad of layers.3.attention.in, 8.00 dB"));
  for (const char* title : {"Loss by step", "SNR by step: median and range over layers",
                            "SNR by tensor and GEMM", "Quantized tensors, lowest SNR first"}) {
    EXPECT_TRUE(has(html, std::string("<h4>") + title + "</h4>")) << title;
  }
  EXPECT_TRUE(has(html, ">nat<")) << "the axis of the loss";
  EXPECT_TRUE(has(html, "SNR (dB)"));
  EXPECT_TRUE(has(page, "id=\"run1-roofline\""));
  // Shown once, not again among the collapsed analyses.
  EXPECT_EQ(page.find("<span>Training numerics</span>"), std::string::npos);
}

TEST(NumericsPage, ARecordWithoutKernelsShowsWhatItHasAndNothingElse) {
  const std::string page = page_of(recorded_run(training_record(21)));
  EXPECT_TRUE(has(page, "This file records the losses and the numerics of a training run"));
  EXPECT_TRUE(has(page, "<b>3.333&nbsp;nat</b>")) << "the final loss";
  EXPECT_TRUE(has(page, "<dd>8.00 dB</dd><dd>dy in wgrad of layers.3.attention.in</dd>"));
  for (const char* section : {"roofline", "time-plane", "complexity-plane", "timeline", "ledger",
                              "steps", "kernels", "classes", "findings", "notes"}) {
    EXPECT_FALSE(has(page, std::string("id=\"run1-") + section + '"')) << section;
  }
}

TEST(NumericsPage, TheComparisonOfTwoRecordsIsTheLoss) {
  const analysis::RunAnalysis a = recorded_run(training_record(21), "bf16");
  const analysis::RunAnalysis b = recorded_run(training_record(21, 0.1), "nvfp4");
  const ReportPart part = comparison_part(a, b);
  ASSERT_EQ(part.findings.size(), 1u);
  EXPECT_EQ(part.findings[0].id, "loss");
  EXPECT_TRUE(part.notes.empty()) << part.notes.front();
  ReportInput input;
  input.parts.push_back(part);
  const std::string page = render_html(input);
  EXPECT_TRUE(has(page, "2.61 % higher"));
  EXPECT_TRUE(has(page, "Loss of both runs by step"));
}

TEST(NumericsPage, RunsWithKernelsCompareTimeAndLoss) {
  analysis::RunAnalysis a = fixture::training_step();
  analysis::RunAnalysis b = fixture::training_step();
  test::add_record(a.profile, training_record(21));
  test::add_record(b.profile, training_record(21, 0.1));
  const ReportPart part = comparison_part(a, b);
  EXPECT_NE(std::ranges::find(part.findings, "loss", &analysis::Finding::id), part.findings.end());
  EXPECT_NE(std::ranges::find(part.findings, "run_comparison", &analysis::Finding::id),
            part.findings.end());
}

TEST(NumericsPage, FiguresAreFilesToo) {
  ReportInput input;
  input.runs.push_back(recorded_run(training_record(21)));
  EXPECT_TRUE(has(report_figure(input, "numerics"), "validation loss"));
  EXPECT_TRUE(has(report_figure(input, "numerics-2"), "dy in wgrad, NVFP4"));
}

}  // namespace
}  // namespace mansard::reports
