// SPDX-License-Identifier: Apache-2.0
#include "gui/models/kernel_table_model.h"

#include <QAbstractItemModelTester>
#include <QAbstractProxyModel>
#include <QHeaderView>
#include <QTableView>
#include <QTest>
#include <algorithm>

#include <gtest/gtest.h>

#include "gui/models/kernel_filter.h"
#include "gui/models/row_facts.h"
#include "gui/views/kernel_table_view.h"
#include "tests/gui/examples.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

using testing::training_run;
using Mode = QAbstractItemModelTester::FailureReportingMode;

QString text(const QAbstractItemModel& model, int row, int column) {
  return model.index(row, column).data().toString();
}

TEST(KernelTableModel, KeepsQtsContract) {
  KernelTableModel model;
  KernelSortFilter sorted;
  sorted.setSourceModel(&model);
  const QAbstractItemModelTester of_model(&model, Mode::Fatal);
  const QAbstractItemModelTester of_sorted(&sorted, Mode::Fatal);
  model.set_run(training_run());
  sorted.sort(KernelTableModel::rate, Qt::DescendingOrder);
  const auto run = prepare_run(*training_run());
  for (const char* words : {"gemm", "no such kernel", ""}) {
    ViewFilter filter;
    filter.words = QString::fromUtf8(words);
    model.set_shown(std::make_shared<ShownLaunches>(shown_launches(*run, filter)));
    sorted.follow_shown();
  }
  EXPECT_EQ(sorted.rowCount(), model.rowCount());
  model.set_run(nullptr);
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(KernelTableModel, ShowsARow) {
  KernelTableModel model;
  const auto run = training_run();
  model.set_run(run);
  ASSERT_EQ(model.rowCount(), static_cast<int>(run->rows.size()));
  // 192 launches of 728 us at 1.0995e12 FLOP each.
  EXPECT_EQ(text(model, 0, KernelTableModel::operation_class), QStringLiteral("gemm"));
  EXPECT_EQ(text(model, 0, KernelTableModel::precision), QStringLiteral("FP8 E4M3"));
  EXPECT_EQ(text(model, 0, KernelTableModel::launches), QStringLiteral("192"));
  EXPECT_EQ(text(model, 0, KernelTableModel::time), QStringLiteral("140 ms"));
  EXPECT_EQ(text(model, 0, KernelTableModel::rate), QStringLiteral("1.51 PFLOP/s"));
  EXPECT_EQ(text(model, 0, KernelTableModel::arithmetic_intensity), QStringLiteral("1506"));
  EXPECT_EQ(text(model, 0, KernelTableModel::bound), QStringLiteral("Shared/L1"));
}

// Laying out a name of 300 KB takes seconds.
TEST(KernelTableModel, ElidesTheMiddleOfVeryLongNames) {
  analysis::RunAnalysis long_names = *training_run();
  const std::string name = "begin<" + std::string(300'000, 'x') + ">end";
  long_names.rows[0].short_name = name;
  long_names.rows[0].name = name;
  KernelTableModel model;
  model.set_run(std::make_shared<analysis::RunAnalysis>(std::move(long_names)));
  const QModelIndex cell = model.index(0, KernelTableModel::name);
  for (const int role : {Qt::DisplayRole, Qt::ToolTipRole}) {
    const QString shown = cell.data(role).toString();
    EXPECT_LE(shown.size(), 4000);
    EXPECT_TRUE(shown.startsWith(QStringLiteral("begin<x")) &&
                shown.endsWith(QStringLiteral("x>end")));
  }
}

TEST(KernelTableModel, ShowsUnknownValues) {
  KernelTableModel model;
  model.set_run(training_run());
  for (int row = 0; row < model.rowCount(); ++row) {
    if (text(model, row, KernelTableModel::operation_class) != QLatin1String("collective"))
      continue;
    for (const int column : {KernelTableModel::precision, KernelTableModel::rate,
                             KernelTableModel::arithmetic_intensity, KernelTableModel::bound,
                             KernelTableModel::sol_fraction}) {
      EXPECT_EQ(text(model, row, column), QStringLiteral("-")) << column;
      EXPECT_FALSE(model.index(row, column).data(kCellValueRole).isValid());
    }
    return;
  }
  FAIL() << "the fixture has no collective";
}

// The bar of a saving is its part of the largest one.
TEST(KernelTableModel, ShowsPotentialSavings) {
  const auto run = training_run();
  KernelTableModel model;
  model.set_run(run);
  ASSERT_EQ(KernelTableModel::order_column(*run), KernelTableModel::saving);
  EXPECT_TRUE(KernelTableModel::has(*run, KernelTableModel::saving));
  EXPECT_FALSE(KernelTableModel::has(*run, KernelTableModel::step_saving)) << "no steps";
  double longest_bar = 0;
  for (int row = 0; row < model.rowCount(); ++row) {
    const QModelIndex cell = model.index(row, KernelTableModel::saving);
    const analysis::KernelRow& of_run = run->rows[static_cast<std::size_t>(row)];
    const bool known = of_run.sol.time_s > 0;
    EXPECT_EQ(cell.data(kCellValueRole).isValid(), known);
    if (known) {
      EXPECT_DOUBLE_EQ(cell.data(kCellValueRole).toDouble(), of_run.saving_s);
    }
    EXPECT_GE(cell.data(kBarRole).toDouble(), 0);
    longest_bar = std::max(longest_bar, cell.data(kBarRole).toDouble());
    EXPECT_FALSE(model.index(row, KernelTableModel::sol_fraction).data(kBarRole).isValid())
        << "its bar is its value";
  }
  EXPECT_DOUBLE_EQ(longest_bar, 1);
}

TEST(KernelTableModel, ShowsValuesPerStepIfThereAreSteps) {
  const auto open = testing::example_run("training/llama_fp8.sqlite");
  const analysis::RunAnalysis& run = open->analysis;
  EXPECT_EQ(KernelTableModel::order_column(run), KernelTableModel::step_saving);
  for (const int column : {KernelTableModel::step_saving, KernelTableModel::step_time,
                           KernelTableModel::step_share, KernelTableModel::step_launches}) {
    EXPECT_TRUE(KernelTableModel::has(run, column));
  }
  EXPECT_FALSE(KernelTableModel::has(run, KernelTableModel::saving));
  KernelTableModel model;
  model.set_run({open, &run});
  const double time_s = model.index(0, KernelTableModel::step_time).data(kCellValueRole).toDouble();
  EXPECT_DOUBLE_EQ(time_s, run.rows[0].step_time_s);
  EXPECT_GT(time_s, 0);
  EXPECT_LT(time_s, run.rows[0].time_s) << "one step of many";
}

// BF16 and FP8 of one program: kernels are matched as in the roofline.
TEST(KernelTableView, ComparesTimesPerStepWithABaseline) {
  const auto fp8 = testing::example_run("training/llama_fp8.sqlite");
  const auto bf16 = testing::example_run("training/llama_bf16.sqlite");
  SelectionModel selection;
  selection.set_run(fp8);
  KernelTableView view(&selection);
  view.set_run(fp8);
  auto* table = view.findChild<QTableView*>();
  const auto hidden = [&](KernelTableModel::Column column) {
    return table->isColumnHidden(column);
  };
  EXPECT_TRUE(hidden(KernelTableModel::baseline_step_time) &&
              hidden(KernelTableModel::step_change));
  const std::size_t columns_alone = view.tables().front().columns.size();
  view.set_baseline(bf16);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !hidden(KernelTableModel::step_change); }, 10'000));
  EXPECT_FALSE(hidden(KernelTableModel::baseline_step_time));
  EXPECT_EQ(view.tables().front().columns.size(), columns_alone + 2);

  const RowMatches matches = match_rows(fp8->analysis, bf16->analysis);
  std::size_t matched = 0;
  const auto* sorted = static_cast<QAbstractProxyModel*>(table->model());
  for (int i = 0; i < sorted->rowCount(); ++i) {
    const auto row = static_cast<std::size_t>(sorted->mapToSource(sorted->index(i, 0)).row());
    const auto value = [&](int column) { return sorted->index(i, column).data(kCellValueRole); };
    const QVariant before = value(KernelTableModel::baseline_step_time);
    const auto other = matches.in_baseline(row);
    ASSERT_EQ(before.isValid(), other.has_value());
    ASSERT_EQ(value(KernelTableModel::step_change).isValid(), other.has_value());
    if (!other) continue;
    ++matched;
    EXPECT_DOUBLE_EQ(before.toDouble(), bf16->analysis.rows[*other].step_time_s);
    const double change_s = value(KernelTableModel::step_change).toDouble();
    EXPECT_DOUBLE_EQ(change_s, fp8->analysis.rows[row].step_time_s - before.toDouble());
    const QString text = sorted->index(i, KernelTableModel::step_change).data().toString();
    if (change_s != 0) {
      EXPECT_TRUE(text.startsWith(change_s > 0 ? QLatin1Char('+') : QLatin1Char('-')))
          << text.toStdString();
    }
  }
  EXPECT_GT(matched, 10u);
  // Sorted by change, the largest increase comes first and unmatched kernels last.
  table->sortByColumn(KernelTableModel::step_change, Qt::DescendingOrder);
  const auto change = [&](int i) {
    return sorted->index(i, KernelTableModel::step_change).data(kCellValueRole);
  };
  EXPECT_GE(change(0).toDouble(), change(1).toDouble());
  EXPECT_FALSE(change(sorted->rowCount() - 1).isValid());

  view.set_baseline(nullptr);
  EXPECT_TRUE(hidden(KernelTableModel::step_change));
  EXPECT_EQ(table->horizontalHeader()->sortIndicatorSection(),
            KernelTableModel::order_column(fp8->analysis));
}

TEST(KernelTableView, NeedsStepsInBothRunsToCompare) {
  const auto fp8 = testing::example_run("training/llama_fp8.sqlite");
  SelectionModel selection;
  selection.set_run(fp8);
  KernelTableView view(&selection);
  view.set_run(fp8);
  view.set_baseline(testing::one_kernel_run(7));
  QTest::qWait(50);
  EXPECT_TRUE(view.findChild<QTableView*>()->isColumnHidden(KernelTableModel::step_change));
}

// The window's tables, the HTML report and `mansard analyze` take their columns from one catalog.
TEST(KernelTableModel, HasTheCatalogsTitlesAndHelp) {
  KernelTableModel model;
  const std::pair<int, const char*> expected[] = {
      {KernelTableModel::name, "name"},   {KernelTableModel::launches, "launches"},
      {KernelTableModel::time, "time_s"}, {KernelTableModel::rate, "flop_per_s"},
      {KernelTableModel::bound, "bound"}, {KernelTableModel::sol_fraction, "sol_fraction"}};
  for (const auto& [column, key] : expected) {
    const analysis::Column head = analysis::kernel_head(key);
    EXPECT_EQ(model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().toStdString(),
              head.label);
    EXPECT_EQ(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().toStdString(),
              head.description);
  }
}

TEST(KernelSortFilter, SortsByValueNotByText) {
  KernelTableModel model;
  KernelSortFilter sorted;
  sorted.setSourceModel(&model);
  model.set_run(training_run());
  sorted.sort(KernelTableModel::time, Qt::AscendingOrder);
  double last_s = 0;
  for (int row = 0; row < sorted.rowCount(); ++row) {
    const double time_s = sorted.index(row, KernelTableModel::time).data(kCellValueRole).toDouble();
    EXPECT_GE(time_s, last_s);
    last_s = time_s;
  }
}

TEST(KernelSortFilter, SortsUnknownValuesLast) {
  KernelTableModel model;
  KernelSortFilter sorted;
  sorted.setSourceModel(&model);
  model.set_run(training_run());
  for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
    sorted.sort(KernelTableModel::sol_fraction, order);
    EXPECT_EQ(text(sorted, sorted.rowCount() - 1, KernelTableModel::sol_fraction),
              QStringLiteral("-"));
    EXPECT_NE(text(sorted, 0, KernelTableModel::sol_fraction), QStringLiteral("-"));
  }
}

TEST(KernelFilter, RequiresEveryWord) {
  const auto run = training_run();
  const auto matching = [&](const char* text) {
    const KernelFilter filter(QString::fromUtf8(text));
    int count = 0;
    for (const analysis::KernelRow& row : run->rows) count += filter.matches(row) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(matching(""), static_cast<int>(run->rows.size()));
  EXPECT_EQ(matching("  "), static_cast<int>(run->rows.size()));
  EXPECT_EQ(matching("gemm"), 3);
  EXPECT_EQ(matching("GEMM fp8"), 2);
  EXPECT_EQ(matching("gemm bf16"), 1);
  EXPECT_EQ(matching("transformer_engine::"), 2);  // matches the full name
  EXPECT_EQ(matching("attention gemm"), 0);
  EXPECT_EQ(matching("[(*"), 0);  // not a pattern
}

TEST(RowFacts, AreDerivedFromTheWork) {
  analysis::KernelRow row;
  row.time_s = 2;
  row.work.flop[Precision::bf16] = 8e12;
  row.work.bytes[MemoryLevel::hbm] = 2e12;
  EXPECT_DOUBLE_EQ(*intensity(row, MemoryLevel::hbm), 4);
  EXPECT_FALSE(intensity(row, MemoryLevel::l2));
  EXPECT_FALSE(fraction_of_light(row));
  row.slowdown = 1.25;
  EXPECT_DOUBLE_EQ(*fraction_of_light(row), 0.8);
  EXPECT_EQ(precision_text(row), QStringLiteral("-"));
}

TEST(RowFacts, NameEveryLimitAndWhatIsMissing) {
  const auto run = training_run();
  analysis::KernelRow row = run->rows.front();
  row.sol.missing_ceilings = {"SM fill"};
  QStringList labels;
  QStringList values;
  for (const FactSection& section : facts(row)) {
    for (const Fact& fact : section.facts) {
      labels << fact.label;
      values << fact.value;
    }
  }
  for (const char* label : {"Compute time (F / P)", "HBM time (B / BW)", "L2 time (B / BW)",
                            "Shared/L1 time (B / BW)", "Launch time"}) {
    EXPECT_TRUE(labels.contains(QString::fromUtf8(label))) << label;
  }
  EXPECT_TRUE(values.contains(QStringLiteral("SM fill")));
}

TEST(RowFacts, FormatRatiosAndCounts) {
  EXPECT_EQ(ratio_text(0.75), QStringLiteral("0.75"));
  EXPECT_EQ(ratio_text(1506.2), QStringLiteral("1506"));
  EXPECT_EQ(ratio_text(std::nullopt), QStringLiteral("-"));
  EXPECT_EQ(count_text(1, "launch", "launches"), QStringLiteral("1 launch"));
  EXPECT_EQ(count_text(12345, "launch", "launches"), QStringLiteral("12,345 launches"));
}

}  // namespace
}  // namespace mansard::gui
