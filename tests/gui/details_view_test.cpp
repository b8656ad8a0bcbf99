// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details_view.h"

#include <gtest/gtest.h>

#include "gui/models/counter_facts.h"
#include "gui/models/launch_facts.h"
#include "tests/gui/fixture.h"

namespace mansard {
namespace {

class DetailsViewTest : public ::testing::Test {
 protected:
  void show(const RunAnalysis& analysis) {
    run = prepare_run(analysis);
    selection.set_run(run);
    view.set_run(run);
  }
  std::shared_ptr<const OpenRun> run;
  SelectionModel selection;
  DetailsView view{&selection};
};

TEST_F(DetailsViewTest, TellsOfTheRowAndOfTheLaunch) {
  show(*testing::training_run());
  EXPECT_TRUE(view.text().contains(QStringLiteral("Select a kernel")));
  EXPECT_TRUE(view.tables().empty());
  selection.select(0);
  EXPECT_TRUE(view.text().contains(QStringLiteral("FP8 E4M3")));
  EXPECT_FALSE(view.text().contains(QStringLiteral("This launch")));
  EXPECT_FALSE(view.tables().front().rows.empty());
  selection.select_launch(2);
  EXPECT_TRUE(view.text().contains(QStringLiteral("This launch")));
  EXPECT_TRUE(view.text().contains(QStringLiteral("stream 0 of GPU 0")));
  EXPECT_EQ(ranges_around(*run, 2), QStringList{QStringLiteral("gemm")});
  // Called 1.4 us before it began, by the fixture.
  EXPECT_TRUE(view.text().contains(QStringLiteral("1.4 us before"))) << view.text().toStdString();
}

TEST_F(DetailsViewTest, MeansOfCountersLeaveOutWhatTheGpuDidNotGive) {
  RunAnalysis analysis = *testing::training_run();
  const KernelRecord& kernel = analysis.profile.kernels[analysis.rows[0].launch_indices[0]];
  const StringId metric = 10'001;
  analysis.profile.strings[metric] = "dram__bytes_read.sum";
  for (const double value : {100.0, 300.0, std::numeric_limits<double>::quiet_NaN()}) {
    CounterReading reading;
    reading.demangled_name = kernel.demangled_name;
    reading.grid = kernel.grid;
    reading.block = kernel.block;
    reading.values = {{metric, value}};
    analysis.profile.counter_readings.push_back(reading);
  }
  const FactSection counters = facts_of_counters(analysis, analysis.rows[0]);
  ASSERT_EQ(counters.facts.size(), 2u);
  EXPECT_EQ(counters.facts[0].value, QStringLiteral("3 launches"));
  EXPECT_EQ(counters.facts[1].label, QStringLiteral("dram__bytes_read.sum"));
  EXPECT_EQ(counters.facts[1].value, QStringLiteral("200"));
  EXPECT_TRUE(facts_of_counters(analysis, analysis.rows[1]).facts.empty());
  show(analysis);
  selection.select(0);
  EXPECT_TRUE(view.text().contains(QStringLiteral("Counters")));
}

TEST_F(DetailsViewTest, EscapesNames) {
  RunAnalysis analysis = *testing::training_run();
  analysis.rows[0].short_name = "<script>alert(1)</script>&";
  show(analysis);
  selection.select(0);
  QString text = view.text();
  EXPECT_TRUE(text.contains(QStringLiteral("<script>alert(1)</script>&")));
}

}  // namespace
}  // namespace mansard
