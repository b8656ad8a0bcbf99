// SPDX-License-Identifier: Apache-2.0
// The Goodput view: inputs, defaults, results that follow, and inputs out of range.
#include "gui/views/goodput_panel.h"

#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QTest>

#include <gtest/gtest.h>

#include "analyzer/goodput/checkpoint_interval.h"
#include "analyzer/goodput/expected_goodput.h"
#include "gui/models/measured_job.h"
#include "gui/views/chart_view.h"
#include "gui/views/goodput_fields.h"
#include "gui/views/interval_chart.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

// 16,384 GPUs, a step of 4 s of which 0.1 s is exposed communication.
analysis::TrainedJob large_job() {
  analysis::TrainedJob trained;
  trained.name = "a large job";
  trained.gpus = 16384;
  trained.gpus_source = "measured: ranks of the job";
  trained.parameters = 70e9;
  trained.parameters_source = "assumed";
  trained.measured = analysis::MeasuredStep{4.0, 0.1, 0.5, "measured"};
  return trained;
}

double goodput_of(const GoodputPanel& panel) {
  for (const analysis::Table& table : panel.tables()) {
    if (table.id == "goodput") return std::get<double>(table.rows[0][0]);
  }
  ADD_FAILURE() << panel.summary().toStdString();
  return 0;
}

TEST(GoodputPanelTest, StartsWithTheDefaultsOfTheCommandLine) {
  GoodputPanel panel;
  EXPECT_TRUE(panel.tables().empty());
  panel.set_trained(large_job());
  const analysis::GoodputStudy study = analysis::goodput_study({}, large_job());
  EXPECT_DOUBLE_EQ(goodput_of(panel), analysis::expected_goodput(study.job).fraction());
  GoodputFields* fields = panel.fields();
  EXPECT_EQ(fields->field("GPUs")->value(), 16384);
  EXPECT_EQ(fields->source("GPUs"), QStringLiteral("measured"));
  EXPECT_DOUBLE_EQ(fields->field("step without synchronization")->value(), 3900);
  EXPECT_EQ(fields->source("step without synchronization"), QStringLiteral("measured"));
  EXPECT_EQ(fields->field("restart time")->value(), 300);
  EXPECT_EQ(fields->source("restart time"), QStringLiteral("assumed"));
  EXPECT_EQ(fields->field("time between failures of a GPU")->value(), 50677);
  EXPECT_EQ(fields->field("checkpoint interval")->text(), QStringLiteral("best"));
  EXPECT_EQ(fields->field("spare nodes")->text(), QStringLiteral("always available"));
  EXPECT_FALSE(fields->field("repair time of a node")->isEnabled()) << "not used without spares";
}

TEST(GoodputPanelTest, FollowsItsInputs) {
  GoodputPanel panel;
  panel.set_trained(large_job());
  const double before = goodput_of(panel);
  GoodputFields* fields = panel.fields();
  fields->field("restart time")->setValue(1200);
  EXPECT_LT(goodput_of(panel), before);
  EXPECT_EQ(fields->source("restart time"), QStringLiteral("edited"));
  // Derived values follow as long as they are not edited themselves.
  const double save_s = fields->field("blocking save time")->value();
  fields->field("parameters")->setValue(140);
  EXPECT_NEAR(fields->field("blocking save time")->value(), 2 * save_s, 0.02);
  fields->field("spare nodes")->setValue(4);
  EXPECT_TRUE(fields->field("repair time of a node")->isEnabled());
  EXPECT_EQ(fields->field("repair time of a node")->value(), 24);
  fields->recovery()->setCurrentIndex(1);
  EXPECT_TRUE(panel.summary().contains(QStringLiteral("of the samples (PLS)")));
  // Another profile keeps what was edited.
  analysis::TrainedJob other = large_job();
  other.measured->step_s = 8;
  panel.set_trained(other);
  EXPECT_EQ(fields->field("restart time")->value(), 1200);
  EXPECT_EQ(fields->field("step without synchronization")->value(), 7900);
  panel.show_everything();
  EXPECT_EQ(fields->field("restart time")->value(), 300);
  panel.set_trained(large_job());
  EXPECT_DOUBLE_EQ(goodput_of(panel), before);
}

TEST(GoodputPanelTest, MarksTheChosenAndTheBestInterval) {
  GoodputPanel panel;
  panel.set_trained(large_job());
  const analysis::GoodputStudy study = analysis::goodput_study({}, large_job());
  const double best_min = analysis::interval_of(study.job) / 60;
  ASSERT_EQ(panel.intervals()->marks().size(), 1U);
  EXPECT_NEAR(panel.intervals()->marks()[0].at, best_min, 1e-9);
  panel.fields()->field("checkpoint interval")->setValue(1800);
  ASSERT_EQ(panel.intervals()->marks().size(), 2U);
  EXPECT_NEAR(panel.intervals()->marks()[0].at, 30, 1e-9);
  EXPECT_NEAR(panel.intervals()->marks()[1].at, best_min, 1e-6);
  EXPECT_TRUE(panel.intervals()->marks()[1].label.startsWith(QStringLiteral("best: ")));
}

TEST(GoodputPanelTest, SaysWhyThereIsNoResult) {
  GoodputPanel panel;
  panel.resize(1000, 700);
  panel.set_trained(large_job());
  panel.show();
  const auto expect = [&](const char* input, double value, const char* words) {
    QDoubleSpinBox* field = panel.fields()->field(input);
    field->setValue(value);
    EXPECT_TRUE(panel.summary().contains(QString::fromUtf8(words)))
        << panel.summary().toStdString();
    EXPECT_TRUE(panel.tables().empty()) << input;
    QApplication::processEvents();
    EXPECT_FALSE(panel.grab().isNull());
    panel.show_everything();
    EXPECT_FALSE(panel.tables().empty()) << input;
  };
  expect("time between failures of a GPU", 1, "makes no progress");
  expect("checkpoint interval", 0.5, "shorter than a step");
  expect("background write time", 1e7, "No result: ");
  // A spin box limits what it takes; NaN is not a number that can be typed.
  QDoubleSpinBox* gpus = panel.fields()->field("GPUs");
  gpus->setValue(-5);
  EXPECT_EQ(gpus->value(), 1);
  gpus->setValue(1e300);
  EXPECT_EQ(gpus->value(), gpus->maximum());
}

TEST(GoodputPanelTest, TakesTheStepOfAProfile) {
  const auto run = prepare_run(*testing::training_run());
  const analysis::TrainedJob trained = trained_job(*run, 64);
  EXPECT_EQ(trained.gpus, 64);
  ASSERT_TRUE(trained.measured);
  EXPECT_GT(trained.measured->step_s, 0);
  EXPECT_LE(trained.measured->exposed_s, trained.measured->communication_s);
  EXPECT_LT(trained.measured->exposed_s, trained.measured->step_s);
  EXPECT_EQ(trained_job(*run, 0).gpus_source, "assumed: one node");
}

}  // namespace
}  // namespace mansard::gui
