// SPDX-License-Identifier: Apache-2.0
#include "gui/views/findings_view.h"

#include <QElapsedTimer>
#include <QListWidget>
#include <QTabWidget>
#include <QTest>

#include <gtest/gtest.h>

#include "gui/views/chart_view.h"
#include "gui/views/finding_table.h"
#include "gui/views/table_page.h"
#include "gui/views/theme.h"
#include "reports/figure/chart_drawing.h"
#include "tests/gui/examples.h"

namespace mansard::gui {
namespace {

using testing::example_run;

class FindingsViewTest : public ::testing::Test {
 protected:
  FindingsViewTest() {
    apply_theme(*qApp, figure::Theme::light);
    view.resize(1100, 640);
    view.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view));
  }

  void show(const std::shared_ptr<const OpenRun>& run) {
    selection.set_run(run);
    view.set_run(run);
  }
  bool has_finding() {
    return QTest::qWaitFor([&] { return view.message().isEmpty(); }, 20000);
  }
  TablePage* page(int tab) { return static_cast<TablePage*>(view.tabs()->widget(tab)); }
  // A click on a row of the first table's first column.
  void click(int row) {
    FindingTable* table = page(0)->table();
    const QModelIndex index = table->model()->index(row, 0);
    table->scrollTo(index);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(index).center());
  }

  SelectionModel selection;
  FindingsView view{&selection, nullptr};
};

TEST_F(FindingsViewTest, ShowsEveryAnalysisOfTheRegistry) {
  show(example_run("h200_layer_bf16.sqlite"));
  const auto& all = analysis::analysis_registry().all();
  ASSERT_EQ(view.list()->count(), static_cast<int>(all.size()));
  for (const analysis::AnalysisSpec& analysis : all) {
    view.choose(analysis.name);
    ASSERT_TRUE(has_finding()) << analysis.name;
    const analysis::Finding wanted = analysis.run(selection.run()->analysis);
    int tables = 0;
    for (const analysis::Table& table : wanted.tables) tables += table.rows.empty() ? 0 : 1;
    EXPECT_EQ(view.tabs()->count(), tables) << analysis.name;
    EXPECT_EQ(view.tables().size(), wanted.tables.size()) << analysis.name;
    for (int i = 0; i < view.tabs()->count(); ++i) {
      EXPECT_GT(page(i)->table()->model()->rowCount(), 0) << analysis.name;
    }
  }
}

TEST_F(FindingsViewTest, KeepsResultsUntilAnotherRunIsSet) {
  show(example_run("h200_layer_bf16.sqlite"));
  view.choose("kernels");
  ASSERT_TRUE(has_finding());
  const std::size_t rows = view.tables().front().rows.size();
  view.choose("classes");
  ASSERT_TRUE(has_finding());
  view.choose("kernels");
  EXPECT_EQ(view.message(), QString());  // available at once
  show(example_run("h200_layer_nvfp4.sqlite"));
  EXPECT_FALSE(view.message().isEmpty());
  ASSERT_TRUE(has_finding());
  EXPECT_NE(view.tables().front().rows.size(), rows);
}

TEST_F(FindingsViewTest, KernelRowSelectsItsKernel) {
  show(example_run("h200_layer_bf16.sqlite"));
  view.choose("kernels");
  ASSERT_TRUE(has_finding());
  for (const int row : {2, 0}) {
    click(row);
    EXPECT_EQ(selection.selected(), static_cast<std::size_t>(row));
  }
  view.choose("roofline");
  ASSERT_TRUE(has_finding());
  click(1);
  const analysis::Table& points = page(0)->table()->table();
  EXPECT_EQ(*selection.selected() + 1,
            static_cast<std::size_t>(std::get<std::int64_t>(points.rows[1].back())));
}

TEST_F(FindingsViewTest, ClassRowFiltersByItsClass) {
  show(example_run("h200_layer_bf16.sqlite"));
  view.choose("classes");
  ASSERT_TRUE(has_finding());
  click(0);
  EXPECT_EQ(selection.filter().operation_class,
            page(0)->table()->model()->index(0, 0).data().toString());
  // Moving over rows with the keys does not filter.
  const QString before = selection.filter().operation_class;
  QTest::keyClick(page(0)->table(), Qt::Key_Down);
  EXPECT_EQ(selection.filter().operation_class, before);
}

TEST_F(FindingsViewTest, ChartAndTableMarkTheSameRow) {
  show(example_run("h200_layer_bf16.sqlite"));
  view.choose("classes");
  ASSERT_TRUE(has_finding());
  ChartView* chart = page(0)->chart();
  ASSERT_TRUE(chart->has_chart());
  const figure::Rect value = area_of(chart->drawing(), figure::bar_link(1)).value();
  QTest::mouseClick(chart, Qt::LeftButton, {},
                    {chart->width() / 2, static_cast<int>((value.top + value.bottom) / 2)});
  EXPECT_EQ(page(0)->table()->current(), chart->data().bars[1].row);
  view.show_everything();
  EXPECT_FALSE(page(0)->table()->current());
}

TEST_F(FindingsViewTest, EmptyRunsShowAMessageOrAFinding) {
  EXPECT_EQ(view.message(), QStringLiteral("No profile is open."));
  show(testing::empty_run());
  EXPECT_TRUE(view.message().contains(QStringLiteral("nothing to analyze")));
  for (const auto& run : {testing::host_run(), testing::one_kernel_run(1)}) {
    show(run);
    for (const analysis::AnalysisSpec& analysis : analysis::analysis_registry().all()) {
      view.choose(analysis.name);
      ASSERT_TRUE(QTest::qWaitFor([&] { return !view.message().startsWith("Computing"); }, 5000));
    }
  }
  show(nullptr);
  EXPECT_TRUE(view.tables().empty());
}

}  // namespace
}  // namespace mansard::gui
