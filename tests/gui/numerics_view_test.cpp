// SPDX-License-Identifier: Apache-2.0
// The training view: figures, tables and their links, with and without a baseline, and when the
// page shows it.
#include "gui/views/numerics_view.h"

#include <QDockWidget>
#include <QPainter>
#include <QTabWidget>
#include <QTest>

#include <gtest/gtest.h>

#include "gui/views/chart_view.h"
#include "gui/views/finding_table.h"
#include "gui/views/run_page.h"
#include "gui/views/theme.h"
#include "reports/figure/chart_drawing.h"
#include "tests/analyzer/training_record.h"
#include "tests/collector/sample.h"
#include "tests/gui/examples.h"
#include "tests/gui/fixture.h"
#include "tests/support/scratch.h"

namespace mansard::gui {
namespace {

using test::training_record;

std::shared_ptr<const OpenRun> open(const test::TrainingRecord& record, const std::string& title) {
  return prepare_run(test::recorded_run(record, title));
}

class NumericsViewTest : public ::testing::Test {
 protected:
  NumericsViewTest() {
    apply_theme(*qApp, figure::Theme::light);
    view.resize(1200, 700);
    view.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view));
  }
  bool has_record() {
    return QTest::qWaitFor([&] { return view.message().isEmpty(); }, 20000);
  }
  FindingTable* table(int tab) { return static_cast<FindingTable*>(view.tabs()->widget(tab)); }
  int tab_of(std::string_view id) {
    for (int i = 0; i < view.tabs()->count(); ++i) {
      if (table(i)->table().id == id) return i;
    }
    return -1;
  }

  SelectionModel selection;
  NumericsView view{&selection};
};

TEST_F(NumericsViewTest, ShowsLossAndSnrAndTheWorstTensorsFirst) {
  view.set_run(open(training_record(21), "nvfp4"));
  ASSERT_TRUE(has_record());
  ASSERT_EQ(view.charts().size(), 2u);
  EXPECT_EQ(view.charts()[0]->data().series.size(), 2u);  // training and validation loss
  EXPECT_EQ(view.charts()[1]->data().column.unit, "dB");
  EXPECT_EQ(table(0)->table().id, "tensors");
  EXPECT_TRUE(view.summary().contains(QStringLiteral("dy in wgrad of layers.3.attention.in")));
  EXPECT_EQ(view.tables().size(), 5u);
}

TEST_F(NumericsViewTest, AClickOnAFigureLeadsToItsRow) {
  view.set_run(open(training_record(21), "nvfp4"));
  ASSERT_TRUE(has_record());
  ChartView* chart = view.charts()[0];
  const auto area = area_of(chart->drawing(), figure::bar_link(7));
  ASSERT_TRUE(area);
  const QPointF center((area->left + area->right) / 2, (area->top + area->bottom) / 2);
  QTest::mouseClick(chart, Qt::LeftButton, {}, center.toPoint());
  EXPECT_EQ(view.tabs()->currentIndex(), tab_of("losses"));
  EXPECT_EQ(table(tab_of("losses"))->current(), 7u);
}

TEST_F(NumericsViewTest, ABaselineAddsItsLossAndTheGap) {
  view.set_run(open(training_record(21, 0.1), "nvfp4"));
  view.set_baseline(open(training_record(21), "bf16"));
  ASSERT_TRUE(has_record());
  EXPECT_TRUE(view.summary().contains(QStringLiteral("2.61 % higher")))
      << view.summary().toStdString();
  ASSERT_EQ(view.charts().size(), 3u);  // losses, gap, SNR
  EXPECT_EQ(view.charts()[0]->data().series.size(), 4u);
  EXPECT_GE(tab_of("loss_gap"), 0);
  view.set_baseline(nullptr);
  ASSERT_TRUE(has_record());
  EXPECT_EQ(tab_of("loss_gap"), -1);
}

TEST_F(NumericsViewTest, ABaselineWithoutRecordChangesNothing) {
  view.set_run(open(training_record(21), "nvfp4"));
  view.set_baseline(testing::empty_run());
  ASSERT_TRUE(has_record());
  EXPECT_EQ(view.charts().size(), 2u);
}

TEST_F(NumericsViewTest, PaintsAllFiguresIntoItsSize) {
  view.set_run(open(training_record(21), "nvfp4"));
  ASSERT_TRUE(has_record());
  QImage image(view.size(), QImage::Format_RGB32);
  image.fill(Qt::magenta);
  QPainter painter(&image);
  view.paint_figure(painter);
  painter.end();
  std::set<QRgb> upper;
  std::set<QRgb> lower;
  for (int x = 0; x < image.width(); ++x) {
    for (int y = 0; y < image.height(); ++y) {
      (y < image.height() / 2 ? upper : lower).insert(image.pixel(x, y));
    }
  }
  EXPECT_FALSE(upper.contains(qRgb(255, 0, 255)));
  EXPECT_GT(upper.size(), 20u);
  EXPECT_GT(lower.size(), 20u);
}

// The page of a file.
class TrainingPageTest : public ::testing::Test {
 protected:
  std::unique_ptr<RunPage> open_page(const std::filesystem::path& file) {
    auto page = std::make_unique<RunPage>(std::make_unique<RunDocument>());
    page->document()->open(QString::fromStdString(file.string()), {});
    EXPECT_TRUE(QTest::qWaitFor([&] { return page->document()->open_run() != nullptr; }, 20000));
    return page;
  }
  test::Scratch scratch;
};

TEST_F(TrainingPageTest, ARecordWithoutKernelsShowsOnlyItsView) {
  test::write_record(scratch / "r.sqlite", training_record(21), test::sample_session());
  const auto page = open_page(scratch / "r.sqlite");
  for (const QDockWidget* dock : page->docks()) {
    EXPECT_EQ(dock->isHidden(), dock->objectName() != QLatin1String("numerics"))
        << dock->objectName().toStdString();
  }
  EXPECT_EQ(page->current_view(), page->view(QStringLiteral("numerics")));
  EXPECT_TRUE(page->arrangement().isEmpty());
}

TEST_F(TrainingPageTest, RunsWithoutRecordHideItAndKeepTheirArrangement) {
  testing::write_training_run(scratch / "k.sqlite");
  const auto page = open_page(scratch / "k.sqlite");
  for (const QDockWidget* dock : page->docks()) {
    EXPECT_EQ(dock->isHidden(), dock->objectName() == QLatin1String("numerics"))
        << dock->objectName().toStdString();
  }
  const QByteArray arrangement = page->arrangement();
  EXPECT_FALSE(arrangement.isEmpty());
  EXPECT_TRUE(page->arrange(arrangement));
  EXPECT_TRUE(page->dock(QStringLiteral("numerics"))->isHidden());
}

}  // namespace
}  // namespace mansard::gui
