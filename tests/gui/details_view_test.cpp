// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details_view.h"

#include <gtest/gtest.h>

#include "gui/models/counter_facts.h"
#include "gui/models/launch_facts.h"
#include "tests/gui/fixture.h"
#include "tests/gui/timed_run.h"

namespace mansard::gui {
namespace {

class DetailsViewTest : public ::testing::Test {
 protected:
  DetailsViewTest() { view.show(); }

  void show(const analysis::RunAnalysis& analysis) {
    run = prepare_run(analysis);
    selection.set_run(run);
    view.set_run(run);
  }
  std::shared_ptr<const OpenRun> run;
  SelectionModel selection;
  DetailsView view{&selection};
};

TEST_F(DetailsViewTest, ShowsTheRowAndTheLaunch) {
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
  // The fixture's API calls start 1.4 us before their kernels.
  EXPECT_TRUE(view.text().contains(QStringLiteral("Launch latency")));
  EXPECT_TRUE(view.text().contains(QStringLiteral("1.40 µs"))) << view.text().toStdString();
}

TEST_F(DetailsViewTest, CounterMeansSkipMissingValues) {
  analysis::RunAnalysis analysis = *testing::training_run();
  const store::KernelRecord& kernel = analysis.profile.kernels[analysis.rows[0].launch_indices[0]];
  const store::StringId metric = 10'001;
  analysis.profile.strings[metric] = "dram__bytes_read.sum";
  for (const double value : {100.0, 300.0, std::numeric_limits<double>::quiet_NaN()}) {
    store::CounterReading reading;
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

TEST_F(DetailsViewTest, DoesNotUpdateWhileHidden) {
  show(*testing::training_run());
  selection.select(0);
  const QString before = view.text();
  view.hide();
  selection.select_launch(300);
  EXPECT_EQ(view.text(), before);
  view.show();
  EXPECT_NE(view.text(), before);
  EXPECT_TRUE(view.text().contains(QStringLiteral("This launch")));
}

// The stack defined in analyzer/attribution/range_stacks.h: ranges of the launching thread and of
// the thread with the steps, ordered by start.
TEST_F(DetailsViewTest, RangesComeFromTheLaunchingAndTheStepThread) {
  test::ProfileBuilder builder;
  builder.range(0, 1000, "step 0").range(100, 400, "layer | flop=1e6").range(150, 160, "over");
  builder.range(500, 600, "mul", test::kOtherThread);
  builder.range(200, -1, "never ended");
  builder.launch(200, 2000, 2100, "forward_kernel");
  builder.launch(550, 2200, 2300, "backward_kernel", test::kOtherThread);
  builder.launch(1000, 2400, 2500, "late_kernel");
  builder.kernel(2600, 2700, "never_called");
  builder.kernel(2800, 2900, "without_id").correlation_id = 0;
  builder.call(1100, "cudaGetLastError", 0);
  const auto of = testing::prepared(builder);
  const auto around = [&](std::size_t launch) { return ranges_around(*of, launch); };
  EXPECT_EQ(around(0), (QStringList{QStringLiteral("step 0"), QStringLiteral("layer"),
                                    QStringLiteral("never ended")}));
  EXPECT_EQ(around(1), (QStringList{QStringLiteral("step 0"), QStringLiteral("never ended"),
                                    QStringLiteral("mul")}));
  EXPECT_EQ(around(2), QStringList{QStringLiteral("never ended")})
      << "the end of a range is exclusive";
  EXPECT_TRUE(around(3).isEmpty());
  EXPECT_TRUE(around(4).isEmpty());
  for (const std::size_t launch : {3u, 4u}) {
    for (const Fact& fact : facts_of_launch(*of, launch).facts) {
      EXPECT_NE(fact.label, QStringLiteral("Launch latency")) << launch;
    }
  }
}

TEST_F(DetailsViewTest, EscapesNames) {
  analysis::RunAnalysis analysis = *testing::training_run();
  analysis.rows[0].short_name = "<script>alert(1)</script>&";
  show(analysis);
  selection.select(0);
  QString text = view.text();
  EXPECT_TRUE(text.contains(QStringLiteral("<script>alert(1)</script>&")));
}

}  // namespace
}  // namespace mansard::gui
