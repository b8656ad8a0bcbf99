// SPDX-License-Identifier: Apache-2.0
// Tables of findings: model, sorting, widget, and links from rows to kernels.
#include "gui/models/finding_model.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include <gtest/gtest.h>

#include "analyzer/kernel_signature.h"
#include "gui/models/kernel_link.h"
#include "gui/models/selection_model.h"
#include "gui/views/finding_table.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

using Mode = QAbstractItemModelTester::FailureReportingMode;

analysis::Table causes() {
  analysis::Table table{"causes", "Causes", {}, {}};
  table.columns = {{"name", "name", analysis::CellFormat::text, "", "Short name"},
                   {"count", "launches", analysis::CellFormat::count, "", ""},
                   {"time_s", "time", analysis::CellFormat::quantity, "s", "Sum"},
                   {"share", "share", analysis::CellFormat::fraction, "", ""}};
  table.rows = {{std::string("b"), std::int64_t{9}, 2e-3, 0.5},
                {std::string("a"), std::int64_t{10}, analysis::Cell(), 0.25},
                {std::string("c\nd"), std::int64_t{8}, 900e-6, std::nan("")}};
  return table;
}

QStringList column(const QAbstractItemModel& model, int at) {
  QStringList texts;
  for (int row = 0; row < model.rowCount(); ++row) texts << model.index(row, at).data().toString();
  return texts;
}

TEST(FindingModel, KeepsQtsContract) {
  FindingModel model;
  FindingSort sorted;
  sorted.setSourceModel(&model);
  const QAbstractItemModelTester of_model(&model, Mode::Fatal);
  const QAbstractItemModelTester of_sorted(&sorted, Mode::Fatal);
  model.set_table(causes());
  sorted.sort(2, Qt::DescendingOrder);
  model.set_table(analysis::Table());
  EXPECT_EQ(model.rowCount(), 0);
  model.set_table(causes());
  EXPECT_EQ(sorted.rowCount(), 3);
}

TEST(FindingModel, FormatsCellsLikeTheReports) {
  FindingModel model;
  model.set_table(causes());
  EXPECT_EQ(column(model, 2), (QStringList{"2.00 ms", "-", "900 µs"}));
  EXPECT_EQ(column(model, 3), (QStringList{"50.0 %", "25.0 %", "n/a"}));
  EXPECT_EQ(column(model, 0).last(), QStringLiteral("c d"));  // one line
  EXPECT_EQ(model.headerData(2, Qt::Horizontal, Qt::ToolTipRole), QStringLiteral("Sum"));
  const auto alignment = [&](int at) {
    return model.index(0, at).data(Qt::TextAlignmentRole).toInt() & Qt::AlignHorizontal_Mask;
  };
  EXPECT_EQ(alignment(0), Qt::AlignLeft);
  EXPECT_EQ(alignment(2), Qt::AlignRight);
}

TEST(FindingModel, SortsByValueWithUnknownValuesLast) {
  FindingModel model;
  FindingSort sorted;
  sorted.setSourceModel(&model);
  model.set_table(causes());
  sorted.sort(2, Qt::AscendingOrder);
  EXPECT_EQ(column(sorted, 2), (QStringList{"900 µs", "2.00 ms", "-"}));
  sorted.sort(2, Qt::DescendingOrder);
  EXPECT_EQ(column(sorted, 2), (QStringList{"2.00 ms", "900 µs", "-"}));
  sorted.sort(1, Qt::AscendingOrder);
  EXPECT_EQ(column(sorted, 1), (QStringList{"8", "9", "10"}));
  sorted.sort(3, Qt::AscendingOrder);
  EXPECT_EQ(column(sorted, 3).last(), QStringLiteral("n/a"));
}

TEST(FindingTable, ReportsTableRowsInAnyOrder) {
  FindingTable view;
  view.set_table(causes(), {QStringLiteral("share")});
  view.resize(500, 300);
  view.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
  EXPECT_TRUE(view.isColumnHidden(3));
  view.sortByColumn(0, Qt::AscendingOrder);  // a, b, c
  QSignalSpy chosen(&view, &FindingTable::row_chosen);
  QSignalSpy followed(&view, &FindingTable::row_followed);
  const QRect first = view.visualRect(view.model()->index(0, 0));
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, first.center());
  ASSERT_EQ(followed.count(), 1);
  EXPECT_EQ(followed[0][0].value<std::size_t>(), 1u);
  EXPECT_EQ(chosen.last()[0].value<std::size_t>(), 1u);
  view.setFocus();
  QTest::keyClick(&view, Qt::Key_Down);
  EXPECT_EQ(chosen.last()[0].value<std::size_t>(), 0u);
  EXPECT_EQ(followed.count(), 1);
  QTest::keyClick(&view, Qt::Key_Return);
  EXPECT_EQ(followed.last()[0].value<std::size_t>(), 0u);
  view.set_current(2);
  EXPECT_EQ(view.current(), 2u);
  view.set_current(7);
  EXPECT_FALSE(view.current());
  view.restore_order();
  EXPECT_EQ(column(*view.model(), 0).first(), QStringLiteral("b"));
}

TEST(FindingTable, WrapsSentences) {
  FindingTable view;
  analysis::Table table{"advice", "Advice", {}, {}};
  table.columns = {{"advice", "why", analysis::CellFormat::text, "", ""}};
  std::string sentence;
  for (int i = 0; i < 40; ++i) sentence += "some words of advice ";
  table.rows = {{sentence}, {std::string("short")}};
  view.set_table(table);
  view.resize(400, 300);
  view.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
  EXPECT_GT(view.rowHeight(0), 3 * view.rowHeight(1));
}

TEST(FindingTable, MeasuresTextAfterTheSplitterStops) {
  FindingTable view;
  view.resize(700, 300);
  analysis::Table table{
      "advice", "Advice", {{"advice", "Advice", analysis::CellFormat::text, "", ""}}, {}};
  table.rows.push_back({std::string("Use fewer of these and more of those, as that takes less.")});
  view.set_table(table);
  view.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
  const int width_px = view.columnWidth(0);
  EXPECT_EQ(width_px, view.viewport()->width()) << "as first shown";
  for (int i = 1; i <= 20; ++i) view.resize(700 + 5 * i, 300);
  EXPECT_EQ(view.columnWidth(0), width_px) << "not at each of its pixels";
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return view.columnWidth(0) == view.viewport()->width(); }, 2000));
  EXPECT_GT(view.columnWidth(0), width_px);
}

class KernelLinkTest : public ::testing::Test {
 protected:
  const analysis::Table& table(const char* analysis, std::size_t number = 0) {
    findings_.push_back(analysis::analysis_registry().find(analysis)->run(*run));
    return findings_.back().tables.at(number);
  }
  static std::size_t column(const analysis::Table& table, std::string_view key) {
    const auto found = std::ranges::find(table.columns, key, &analysis::Column::key);
    return static_cast<std::size_t>(found - table.columns.begin());
  }

  std::shared_ptr<analysis::RunAnalysis> run = testing::training_run();

 private:
  std::deque<analysis::Finding> findings_;
};

TEST_F(KernelLinkTest, TableRowsLinkToTheirKernels) {
  const analysis::Table& kernels = table("kernels");
  ASSERT_FALSE(kernels.rows.empty());
  const std::size_t signature = column(kernels, "signature");
  for (std::size_t i = 0; i < kernels.rows.size(); ++i) {
    const auto link = kernel_link(kernels, i, *run);
    ASSERT_TRUE(link && link->row) << i;
    const analysis::KernelRow& row = run->rows[*link->row];
    EXPECT_EQ(std::get<std::string>(kernels.rows[i][signature]),
              analysis::kernel_signature(row.name, row.grid, row.block, row.shared_bytes));
  }
  for (const auto& [name, number] : {std::pair("roofline", 0), {"time_based", 1}}) {
    const analysis::Table& of_kernels = table(name, static_cast<std::size_t>(number));
    const std::size_t short_name = column(of_kernels, "name");
    for (std::size_t i = 0; i < of_kernels.rows.size(); ++i) {
      const auto link = kernel_link(of_kernels, i, *run);
      ASSERT_TRUE(link && link->row) << name << i;
      EXPECT_EQ(std::get<std::string>(of_kernels.rows[i][short_name]),
                run->rows[*link->row].short_name);
    }
  }
}

TEST_F(KernelLinkTest, ClassRowsLinkToTheirClass) {
  const analysis::Table& classes = table("classes");
  ASSERT_FALSE(classes.rows.empty());
  for (std::size_t i = 0; i < classes.rows.size(); ++i) {
    const auto link = kernel_link(classes, i, *run);
    ASSERT_TRUE(link);
    EXPECT_EQ(link->operation_class, std::get<std::string>(classes.rows[i][0]));
  }
}

TEST_F(KernelLinkTest, OtherRowsHaveNoLink) {
  analysis::Table table;
  table.add({std::string("no link")}, {});
  table.add({std::string("beyond the rows")}, {.row = 1000});
  table.add({std::string("no such class")}, {.operation_class = "idle_launch"});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_FALSE(kernel_link(table, i, *run)) << i;
}

TEST_F(KernelLinkTest, FollowingSelectsARowAndTogglesAClass) {
  SelectionModel selection;
  selection.set_run(prepare_run(*run));
  follow({3}, selection);
  EXPECT_EQ(selection.selected(), 3u);
  follow({{}, "gemm"}, selection);
  EXPECT_EQ(selection.filter().operation_class, QStringLiteral("gemm"));
  follow({{}, "norm"}, selection);
  EXPECT_EQ(selection.filter().operation_class, QStringLiteral("norm"));
  follow({{}, "norm"}, selection);
  EXPECT_TRUE(selection.filter().passes_all());
}

}  // namespace
}  // namespace mansard::gui
