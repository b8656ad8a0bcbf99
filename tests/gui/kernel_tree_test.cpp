// SPDX-License-Identifier: Apache-2.0
#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QScrollBar>
#include <QTest>
#include <QTreeView>
#include <algorithm>

#include <gtest/gtest.h>

#include "gui/models/kernel_tree_model.h"
#include "gui/views/kernel_tree_view.h"
#include "tests/gui/examples.h"

namespace mansard::gui {
namespace {

using testing::example_run;
using testing::one_kernel_run;
using Model = KernelTreeModel;

std::shared_ptr<const ShownLaunches> shown(const OpenRun& run, const ViewFilter& filter = {}) {
  return std::make_shared<const ShownLaunches>(shown_launches(run, filter));
}

double number(const QModelIndex& index, Model::Column column) {
  return index.siblingAtColumn(column).data(kCellValueRole).toDouble();
}
QString text(const QModelIndex& index, Model::Column column = Model::name) {
  return index.siblingAtColumn(column).data().toString();
}

// Does not fetch by itself: that would insert rows during a layout change.
class Tester {
 public:
  explicit Tester(Model& model)
      : tester_(&model, QAbstractItemModelTester::FailureReportingMode::Fatal) {
    tester_.setUseFetchMore(false);
  }

 private:
  QAbstractItemModelTester tester_;
};

// The first signature of the first name of the first class.
QModelIndex first_signature(const QAbstractItemModel& model) {
  return model.index(0, 0, model.index(0, 0, model.index(0, 0)));
}

TEST(KernelTreeModel, KeepsQtsContract) {
  const auto run = example_run("h200_layer_bf16.sqlite");
  Model model;
  const Tester tester(model);
  model.set_run(run, shown(*run));
  model.fetchMore(first_signature(model));
  const QPersistentModelIndex kept = model.index(1, 0, first_signature(model));
  ASSERT_TRUE(kept.isValid());
  const auto launch = model.launch_of(kept);
  for (int column = 0; column < Model::column_count; ++column) {
    model.sort(column, Qt::AscendingOrder);
    model.sort(column, Qt::DescendingOrder);
  }
  EXPECT_EQ(model.launch_of(kept), launch);
  ViewFilter filter;
  filter.operation_class = QStringLiteral("gemm");
  model.set_shown(shown(*run, filter));
  filter.operation_class = QStringLiteral("no such class");
  model.set_shown(shown(*run, filter));
  EXPECT_EQ(model.rowCount(), 0);
  EXPECT_FALSE(kept.isValid());
  model.set_shown(shown(*run));
  model.set_run(nullptr, std::make_shared<ShownLaunches>());
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(KernelTreeModel, SumsAddUpOnEveryLevel) {
  const auto run = example_run("h200_layer_nvfp4.sqlite");
  Model model;
  model.set_run(run, shown(*run));
  double all_s = 0;
  double all_share = 0;
  std::size_t rows = 0;
  for (int c = 0; c < model.rowCount(); ++c) {
    const QModelIndex of_class = model.index(c, 0);
    double names_s = 0;
    for (int n = 0; n < model.rowCount(of_class); ++n) {
      const QModelIndex of_name = model.index(n, 0, of_class);
      double rows_s = 0;
      for (int s = 0; s < model.rowCount(of_name); ++s) {
        const QModelIndex index = model.index(s, 0, of_name);
        const analysis::KernelRow& row = run->analysis.rows[*model.row_of(index)];
        EXPECT_EQ(QString::fromStdString(row.operation_class.name()), text(of_class));
        EXPECT_EQ(number(index, Model::launches), static_cast<double>(row.launches));
        if (row.slowdown) {
          EXPECT_NEAR(number(index, Model::sol_fraction), 1 / *row.slowdown, 1e-9);
        }
        rows_s += number(index, Model::time);
        ++rows;
      }
      EXPECT_NEAR(rows_s, number(of_name, Model::time), 1e-12);
      names_s += rows_s;
    }
    EXPECT_NEAR(names_s, number(of_class, Model::time), 1e-12);
    all_s += names_s;
    all_share += number(of_class, Model::share);
  }
  EXPECT_EQ(rows, run->analysis.rows.size());
  EXPECT_NEAR(all_s, shown(*run)->total_s, 1e-12);
  EXPECT_NEAR(all_share, 1, 1e-12);
}

TEST(KernelTreeModel, HidesFilteredNodes) {
  const auto run = example_run("h200_layer_bf16.sqlite");
  Model model;
  model.set_run(run, shown(*run));
  const int classes = model.rowCount();
  ASSERT_GT(classes, 1);
  ViewFilter filter;
  filter.operation_class = QStringLiteral("gemm");
  const auto gemms = shown(*run, filter);
  model.set_shown(gemms);
  ASSERT_EQ(model.rowCount(), 1);
  EXPECT_EQ(text(model.index(0, 0)), QStringLiteral("gemm"));
  EXPECT_DOUBLE_EQ(number(model.index(0, 0), Model::share), 1);
  for (std::size_t row = 0; row < run->analysis.rows.size(); ++row) {
    EXPECT_EQ(model.index_of_row(row).isValid(), gemms->shows(row));
  }
  model.set_shown(shown(*run));
  EXPECT_EQ(model.rowCount(), classes);
}

TEST(KernelTreeModel, WindowKeepsTheLaunchesInsideIt) {
  const auto run = one_kernel_run(100);  // launch i at 10 i us
  Model model;
  model.set_run(run, shown(*run));
  const QModelIndex signature = first_signature(model);
  model.fetchMore(signature);
  ASSERT_EQ(model.rowCount(signature), 100);
  ViewFilter filter;
  filter.window = figure::TimeSpan{300'000, 500'000};
  model.set_shown(shown(*run, filter));
  EXPECT_EQ(model.rowCount(first_signature(model)), 20);
  EXPECT_EQ(text(first_signature(model), Model::launches), QStringLiteral("20"));
  EXPECT_TRUE(model.index_of_launch(35).isValid());
  EXPECT_FALSE(model.index_of_launch(70).isValid());
}

TEST(KernelTreeModel, ShowsSortedLaunchesInBatches) {
  const auto run = one_kernel_run(25'000);
  Model model;
  const Tester tester(model);
  model.set_run(run, shown(*run));
  model.sort(Model::duration, Qt::DescendingOrder);
  const QModelIndex signature = first_signature(model);
  EXPECT_TRUE(model.hasChildren(signature));
  EXPECT_EQ(model.rowCount(signature), 0);  // nothing is stored before expansion
  ASSERT_TRUE(model.canFetchMore(signature));
  model.fetchMore(signature);
  EXPECT_EQ(model.rowCount(signature), static_cast<int>(Model::kFetched));
  EXPECT_FALSE(model.canFetchMore(signature));
  for (int i = 0; i < 3; ++i) model.show_more(signature);
  ASSERT_EQ(model.rowCount(signature), 25'000);
  std::vector<bool> seen(25'000);
  double last_s = 1;
  for (int i = 0; i < 25'000; ++i) {
    const QModelIndex index = model.index(i, 0, signature);
    const double duration_s = number(index, Model::duration);
    ASSERT_LE(duration_s, last_s);
    last_s = duration_s;
    seen[*model.launch_of(index)] = true;
  }
  EXPECT_EQ(std::ranges::count(seen, true), 25'000);
  model.sort(Model::start, Qt::AscendingOrder);
  EXPECT_EQ(model.launch_of(model.index(7, 0, signature)), 7u);
  EXPECT_EQ(text(model.index(7, 0, signature), Model::start), QStringLiteral("70 µs"));
}

TEST(KernelTreeModel, FindsALaunchAtAnyPosition) {
  const auto run = one_kernel_run(9'000);
  for (const Model::Column column : {Model::start, Model::duration}) {
    Model model;
    model.set_run(run, shown(*run));
    model.sort(column, Qt::DescendingOrder);
    for (const std::size_t launch : {0u, 3u, 8'999u, 4'321u}) {
      const QModelIndex index = model.index_of_launch(launch);
      ASSERT_TRUE(index.isValid()) << launch;
      EXPECT_EQ(model.launch_of(index), launch);
      EXPECT_EQ(model.row_of(index), 0u);
    }
  }
  Model model;
  const auto more = one_kernel_run(static_cast<std::int64_t>(Model::kMaxRevealed) + 10);
  static_assert(Model::kMaxRevealed + 10 < Model::kOrderedAtOnce);
  model.set_run(more, shown(*more));
  model.sort(Model::start, Qt::AscendingOrder);
  EXPECT_TRUE(model.index_of_launch(5).isValid());
  EXPECT_FALSE(model.index_of_launch(Model::kMaxRevealed + 5).isValid());
}

TEST(KernelTreeModel, SortsMillionsInTheBackground) {
  const std::int64_t count = static_cast<std::int64_t>(Model::kOrderedAtOnce) + 50'000;
  const auto run = one_kernel_run(count);
  Model model;
  const Tester tester(model);
  model.set_run(run, shown(*run));
  const auto arrive = [&] {
    return QTest::qWaitFor([&] { return model.rowCount(first_signature(model)) > 0; }, 10000);
  };
  model.fetchMore(first_signature(model));
  EXPECT_EQ(model.rowCount(first_signature(model)), 0) << "not yet";
  EXPECT_FALSE(model.canFetchMore(first_signature(model))) << "but being sorted";
  // If the order changes meanwhile, the latest one is applied.
  model.sort(Model::start, Qt::DescendingOrder);
  ASSERT_TRUE(arrive());
  EXPECT_EQ(model.rowCount(first_signature(model)), static_cast<int>(Model::kFetched));
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(model.launch_of(model.index(i, 0, first_signature(model))),
              static_cast<std::size_t>(count - 1 - i));
  }
  EXPECT_TRUE(model.index_of_launch(static_cast<std::size_t>(count) - 5).isValid());
  EXPECT_FALSE(model.index_of_launch(5).isValid()) << "too far down";
  model.show_more(first_signature(model));
  EXPECT_EQ(model.rowCount(first_signature(model)), 2 * static_cast<int>(Model::kFetched));
  ViewFilter filter;
  filter.window = figure::TimeSpan{300'000, 500'000};
  model.set_shown(shown(*run, filter));
  EXPECT_EQ(model.rowCount(first_signature(model)), 0);
  ASSERT_TRUE(arrive());
  EXPECT_EQ(model.rowCount(first_signature(model)), 20);
  // A removed list is not waited for.
  model.sort(Model::duration, Qt::AscendingOrder);
  model.set_run(nullptr, std::make_shared<ShownLaunches>());
  QTest::qWait(100);
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(KernelTreeModel, ShowsHostRanges) {
  const auto run = testing::host_run();
  Model model;
  const Tester tester(model);
  model.set_run(run, shown(*run));
  const QModelIndex signature = first_signature(model);
  EXPECT_EQ(text(signature), QStringLiteral("dot"));
  model.fetchMore(signature);
  ASSERT_EQ(model.rowCount(signature), 2);
  // Longest first, as the tree is sorted by time.
  EXPECT_EQ(text(model.index(0, 0, signature), Model::duration), QStringLiteral("2.00 ms"));
  EXPECT_EQ(text(model.index(0, 0, signature), Model::start), QStringLiteral("5 ms"));
}

class KernelTreeViewTest : public ::testing::Test {
 protected:
  KernelTreeViewTest() {
    view.resize(1000, 500);
    view.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view));
  }
  void show(const std::shared_ptr<const OpenRun>& run) {
    selection.set_run(run);
    view.set_run(run);
  }
  void click(const QModelIndex& index) {
    view.tree()->scrollTo(index);
    QTest::mouseClick(view.tree()->viewport(), Qt::LeftButton, {},
                      view.tree()->visualRect(index.siblingAtColumn(Model::time)).center());
  }

  SelectionModel selection;
  KernelTreeView view{&selection, nullptr};
};

TEST_F(KernelTreeViewTest, SelectsSignaturesAndLaunches) {
  show(example_run("h200_layer_bf16.sqlite"));
  const QModelIndex signature = first_signature(*view.model());
  view.tree()->expand(signature.parent().parent());
  view.tree()->expand(signature.parent());
  click(signature);
  EXPECT_EQ(selection.selected(), view.model()->row_of(signature));
  EXPECT_FALSE(selection.selected_launch());
  view.tree()->expand(signature);
  click(view.model()->index(2, 0, signature));
  ASSERT_TRUE(selection.selected_launch());
  EXPECT_EQ(selection.run()->launches.row[*selection.selected_launch()], *selection.selected());
  view.tree()->setFocus();
  const auto before = selection.selected_launch();
  QTest::keyClick(view.tree(), Qt::Key_Down);
  EXPECT_NE(selection.selected_launch(), before);
}

TEST_F(KernelTreeViewTest, IsSortedByPotentialSaving) {
  show(example_run("training/llama_fp8.sqlite"));
  EXPECT_EQ(view.tree()->header()->sortIndicatorSection(), Model::step_saving);
  EXPECT_FALSE(view.tree()->isColumnHidden(Model::step_time));
  EXPECT_TRUE(view.tree()->isColumnHidden(Model::saving));
  const Model& model = *view.model();
  double last_s = number(model.index(0, 0), Model::step_saving);
  double all_bars = 0;
  for (int row = 0; row < model.rowCount(); ++row) {
    const QModelIndex of_class = model.index(row, 0);
    EXPECT_LE(number(of_class, Model::step_saving), last_s);
    last_s = number(of_class, Model::step_saving);
    all_bars += of_class.siblingAtColumn(Model::step_saving).data(kBarRole).toDouble();
  }
  EXPECT_NEAR(all_bars, 1, 1e-9) << "parts of the total";
  // Without steps, the saving and time of the whole run.
  show(testing::host_run());
  EXPECT_EQ(view.tree()->header()->sortIndicatorSection(), Model::time);
  EXPECT_TRUE(view.tree()->isColumnHidden(Model::step_time));
}

TEST_F(KernelTreeViewTest, FollowsTheSelection) {
  show(example_run("h200_layer_bf16.sqlite"));
  const std::size_t last = selection.run()->analysis.rows.size() - 1;
  selection.select(last);
  EXPECT_EQ(view.model()->row_of(view.tree()->currentIndex()), last);
  EXPECT_TRUE(view.tree()->visualRect(view.tree()->currentIndex()).isValid());
  selection.select_launch(11);
  EXPECT_EQ(view.model()->launch_of(view.tree()->currentIndex()), 11u);
  selection.undo();
  EXPECT_EQ(view.model()->row_of(view.tree()->currentIndex()), last);
  selection.select(std::nullopt);
  EXPECT_FALSE(view.tree()->currentIndex().isValid());
}

TEST_F(KernelTreeViewTest, FindsALaunchAmongMillionsOnceSorted) {
  show(one_kernel_run(static_cast<std::int64_t>(Model::kOrderedAtOnce) + 10));
  view.tree()->sortByColumn(Model::start, Qt::AscendingOrder);
  selection.select_launch(7);
  EXPECT_EQ(view.model()->row_of(view.tree()->currentIndex()), 0u) << "its row until then";
  EXPECT_TRUE(QTest::qWaitFor(
      [&] { return view.model()->launch_of(view.tree()->currentIndex()) == 7u; }, 10000));
}

TEST_F(KernelTreeViewTest, DoesNotSearchWhileHidden) {
  show(one_kernel_run(1000));
  view.hide();
  selection.select_launch(7);
  EXPECT_EQ(view.model()->rowCount(first_signature(*view.model())), 0);
  view.show();
  EXPECT_EQ(view.model()->launch_of(view.tree()->currentIndex()), 7u);
}

TEST_F(KernelTreeViewTest, ReloadKeepsExpandedBranches) {
  const auto run = example_run("h200_layer_bf16.sqlite");
  ASSERT_FALSE(run->analysis.profile.file.empty());
  show(run);
  const QModelIndex second = view.model()->index(1, 0);
  const QString name = text(second);
  view.tree()->collapse(view.model()->index(0, 0));
  view.tree()->expand(second);
  view.tree()->expand(view.model()->index(0, 0, second));
  view.tree()->setColumnWidth(Model::time, 77);
  auto again = std::make_shared<OpenRun>(*run);
  show(again);
  ASSERT_EQ(text(view.model()->index(1, 0)), name);
  EXPECT_FALSE(view.tree()->isExpanded(view.model()->index(0, 0)));
  EXPECT_TRUE(view.tree()->isExpanded(view.model()->index(1, 0)));
  EXPECT_TRUE(view.tree()->isExpanded(view.model()->index(0, 0, view.model()->index(1, 0))));
  EXPECT_EQ(view.tree()->columnWidth(Model::time), 77);
  show(example_run("h200_layer_nvfp4.sqlite"));
  EXPECT_TRUE(view.tree()->isExpanded(view.model()->index(0, 0)))
      << "another profile starts with its defaults";
}

TEST_F(KernelTreeViewTest, StaysExpandedWhileTypingAFilter) {
  show(example_run("h200_layer_bf16.sqlite"));
  const QModelIndex first = view.model()->index(0, 0);
  ASSERT_TRUE(view.tree()->isExpanded(first));
  const QString name = text(first);
  for (const char* words : {"g", "ge", "gemm", ""}) selection.set_words(QString::fromUtf8(words));
  ASSERT_EQ(text(view.model()->index(0, 0)), name);
  EXPECT_TRUE(view.tree()->isExpanded(view.model()->index(0, 0)));
  selection.set_words(QStringLiteral("no such kernel"));
  EXPECT_EQ(view.message(), QStringLiteral("No launches match the filter."));
  EXPECT_TRUE(view.tables().empty());
  selection.undo();
  EXPECT_EQ(view.message(), QString());
}

TEST_F(KernelTreeViewTest, ShowsMoreWhenScrolledToTheEnd) {
  show(one_kernel_run(25'000));
  const QModelIndex signature = first_signature(*view.model());
  view.tree()->expand(signature.parent());
  view.tree()->expand(signature);
  EXPECT_EQ(view.model()->rowCount(signature), static_cast<int>(Model::kFetched));
  QScrollBar* bar = view.tree()->verticalScrollBar();
  bar->setValue(bar->maximum());
  EXPECT_EQ(view.model()->rowCount(signature), 2 * static_cast<int>(Model::kFetched));
}

TEST_F(KernelTreeViewTest, ExportsItsRowsOrShowsWhyItIsEmpty) {
  EXPECT_EQ(view.message(), QStringLiteral("No profile is open."));
  show(testing::empty_run());
  EXPECT_EQ(view.message(), QStringLiteral("This profile has no launches."));
  const auto run = example_run("h200_layer_bf16.sqlite");
  show(run);
  EXPECT_EQ(view.message(), QString());
  ASSERT_EQ(view.tables().size(), 1u);
  EXPECT_EQ(view.tables()[0].rows.size(), run->analysis.rows.size());
  view.tree()->sortByColumn(Model::launches, Qt::AscendingOrder);
  view.show_everything();
  EXPECT_EQ(view.tree()->header()->sortIndicatorSection(), Model::order_column(run->analysis));
  show(nullptr);
  EXPECT_TRUE(view.tables().empty());
}

}  // namespace
}  // namespace mansard::gui
