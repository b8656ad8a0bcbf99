// SPDX-License-Identifier: Apache-2.0
#include "gui/views/launch_histogram_view.h"

#include <QHeaderView>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "analyzer/launch_durations.h"
#include "gui/models/launch_sample.h"
#include "gui/views/details_view.h"
#include "gui/views/kernel_table_view.h"
#include "support/statistics.h"
#include "tests/gui/examples.h"
#include "tests/gui/fixture.h"
#include "tests/gui/menus.h"
#include "tests/gui/timed_run.h"

namespace mansard::gui {
namespace {

class LaunchHistogramTest : public ::testing::Test {
 protected:
  void show(std::shared_ptr<const OpenRun> shown) {
    run = std::move(shown);
    selection.set_run(run);
    details.set_run(run);
    details.resize(320, 620);
    details.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&details));
  }
  LaunchHistogramView& view() const { return *details.findChild<LaunchHistogramView*>(); }
  std::int64_t sum(std::int64_t figure::DurationBin::*count) const {
    std::int64_t all = 0;
    for (const figure::DurationBin& bin : view().histogram()->bins) all += bin.*count;
    return all;
  }

  std::shared_ptr<const OpenRun> run;
  SelectionModel selection;
  DetailsView details{&selection};
};

// Every row of real profiles, on the device and on the host: the histogram shows the launches that
// the columns of the table describe.
TEST_F(LaunchHistogramTest, ShowsTheLaunchesOfTheTablesColumns) {
  for (const char* file : {"pretraining/train_fp8.sqlite", "h200_pytorch_counters.sqlite"}) {
    const auto open = testing::example_run(file);
    const analysis::LaunchDurations durations(open->analysis);
    std::size_t with_launches = 0;
    for (const analysis::KernelRow& row : open->analysis.rows) {
      const std::vector<double> of_row = durations.of(row);
      ASSERT_EQ(std::ssize(of_row), row.launches) << row.name;
      if (of_row.empty()) continue;
      ++with_launches;
      EXPECT_DOUBLE_EQ(median(of_row), row.median_s) << row.name;
      EXPECT_DOUBLE_EQ(*std::ranges::min_element(of_row), row.min_s) << row.name;
      EXPECT_DOUBLE_EQ(*std::ranges::max_element(of_row), row.max_s) << row.name;
      EXPECT_LE(row.median_s, durations.p95_s(row));
      EXPECT_LE(durations.p95_s(row), row.max_s);
    }
    EXPECT_GT(with_launches, 10u);
  }
  // Ranges nested in annotated ranges do not count twice.
  const auto host = testing::annotated_host_run();
  const analysis::LaunchDurations durations(host->analysis);
  for (const analysis::KernelRow& row : host->analysis.rows) {
    if (row.launches > 0) {
      EXPECT_DOUBLE_EQ(median(durations.of(row)), row.median_s);
    }
  }
}

TEST_F(LaunchHistogramTest, FollowsTheSelection) {
  show(testing::one_kernel_run(700));  // 1 to 7 us, 100 launches each
  EXPECT_FALSE(view().isVisible()) << "no kernel is selected";
  selection.select(0);
  ASSERT_TRUE(view().isVisible());
  const figure::LaunchHistogram& h = *view().histogram();
  EXPECT_EQ(sum(&figure::DurationBin::launches), 700);
  EXPECT_DOUBLE_EQ(h.median_s, 4e-6);
  EXPECT_DOUBLE_EQ(h.p95_s, 7e-6);
  EXPECT_EQ(h.marks.size(), 2u);
  EXPECT_EQ(h.title.text, "700 launches: duration (µs)");
  EXPECT_TRUE(view().accessibleDescription().contains(QStringLiteral("Median 4.00 µs")));
  selection.select_launch(5);  // 6 us
  ASSERT_EQ(view().histogram()->marks.size(), 3u);
  EXPECT_DOUBLE_EQ(view().histogram()->marks[2].value_s, 6e-6);
  EXPECT_EQ(view().histogram()->marks[2].name.text, "this launch 6.00 µs");
  const std::vector<analysis::Table> tables = details.tables();
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[1].rows.size(), view().histogram()->bins.size());
  selection.select({});
  EXPECT_FALSE(view().isVisible());
}

TEST_F(LaunchHistogramTest, LaunchesThatTheFilterExcludesArePale) {
  show(testing::one_kernel_run(700));
  selection.select(0);
  selection.set_window(figure::TimeSpan{0, 70 * 10'000});
  EXPECT_EQ(sum(&figure::DurationBin::launches), 700);
  EXPECT_EQ(sum(&figure::DurationBin::passing), 70);
  const figure::DurationBin& first = view().histogram()->bins.front();
  EXPECT_LT(first.rect.top, first.passing_rect.top);
  EXPECT_TRUE(QString::fromStdString(figure::describe(first, *view().histogram()))
                  .contains(QStringLiteral("100 launches (14.3 %), 10 pass the filter")));
}

TEST_F(LaunchHistogramTest, AClickSelectsALaunchOfTheBin) {
  show(testing::one_kernel_run(700));
  selection.select(0);
  const figure::Rect last = view().histogram()->bins.back().rect;
  const QPoint place(static_cast<int>((last.left + last.right) / 2),
                     static_cast<int>(view().histogram()->plot.top + 1));
  QTest::mouseClick(&view(), Qt::LeftButton, {}, place);
  EXPECT_EQ(selection.selected_launch(), 6u) << "the first of 7 us";
  QTest::mouseClick(&view(), Qt::LeftButton, {}, place);
  EXPECT_EQ(selection.selected_launch(), 13u) << "the next";
  selection.set_window(figure::TimeSpan{70 * 10'000, 140 * 10'000});
  QTest::mouseClick(&view(), Qt::LeftButton, {}, place);
  EXPECT_EQ(selection.selected_launch(), 76u) << "the first that passes the filter";
}

TEST_F(LaunchHistogramTest, LaunchesWhileCountersWereReadAreLeftOut) {
  show(testing::example_run("training/llama_fp8.sqlite"));
  const auto& rows = run->analysis.rows;
  const auto found = std::ranges::find_if(rows, [](const analysis::KernelRow& row) {
    return row.launches > 0 && !row.disturbed_indices.empty();
  });
  ASSERT_NE(found, rows.end());
  const auto row = static_cast<std::size_t>(found - rows.begin());
  const figure::LaunchSample sample = launch_sample(*run, row, {}, *selection.shown());
  EXPECT_EQ(std::ssize(sample.durations_s), found->launches);
  EXPECT_EQ(sample.disturbed, std::ssize(found->disturbed_indices));
}

TEST_F(LaunchHistogramTest, MemcpysHaveAHistogramWithoutLaunchesToSelect) {
  show(testing::example_run("pretraining/train_fp8.sqlite"));
  const auto& rows = run->analysis.rows;
  const auto found = std::ranges::find(rows, analysis::RowKind::memcpy, &analysis::KernelRow::kind);
  ASSERT_NE(found, rows.end());
  const auto row = static_cast<std::size_t>(found - rows.begin());
  selection.select(row);
  ASSERT_TRUE(view().isVisible());
  EXPECT_EQ(sum(&figure::DurationBin::launches), found->launches);
  EXPECT_FALSE(launch_at(*run, row, 0));
}

TEST_F(LaunchHistogramTest, AFirstLookHasNoLaunches) {
  show(preview(*testing::training_run()));
  selection.select(0);
  EXPECT_FALSE(view().isVisible());
}

TEST_F(LaunchHistogramTest, TheHeadersMenuShowsColumnsOfTheDurations) {
  run = testing::example_run("pretraining/train_fp8.sqlite");
  selection.set_run(run);
  KernelTableView kernels(&selection);
  kernels.resize(1200, 400);
  kernels.set_run(run);
  kernels.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&kernels));
  auto* table = kernels.findChild<QTableView*>();
  for (const int column : {KernelTableModel::min, KernelTableModel::median, KernelTableModel::p95,
                           KernelTableModel::max}) {
    EXPECT_TRUE(table->isColumnHidden(column)) << "too wide";
  }
  testing::choose_in_menu(*table->horizontalHeader()->viewport(), QStringLiteral("p95"));
  EXPECT_FALSE(table->isColumnHidden(KernelTableModel::p95));
  const QModelIndex cell = table->model()->index(0, KernelTableModel::p95);
  const std::size_t row = static_cast<std::size_t>(
      static_cast<const QAbstractProxyModel*>(table->model())->mapToSource(cell).row());
  EXPECT_DOUBLE_EQ(cell.data(kCellValueRole).toDouble(),
                   analysis::LaunchDurations(run->analysis).p95_s(run->analysis.rows[row]));
  kernels.set_run(run);
  EXPECT_FALSE(table->isColumnHidden(KernelTableModel::p95)) << "kept when the file is reloaded";
  testing::choose_in_menu(*table->horizontalHeader()->viewport(), QStringLiteral("p95"));
  EXPECT_TRUE(table->isColumnHidden(KernelTableModel::p95));
  const analysis::Table exported = kernels.tables().front();
  EXPECT_EQ(exported.columns.back().key, "p95_s");
  EXPECT_EQ(exported.rows.front().size(), exported.columns.size());
}

}  // namespace
}  // namespace mansard::gui
