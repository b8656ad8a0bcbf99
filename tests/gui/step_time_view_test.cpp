// SPDX-License-Identifier: Apache-2.0
#include "gui/views/step_time_view.h"

#include <QApplication>
#include <QImage>
#include <QPainter>
#include <QTabWidget>
#include <QTest>
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "gui/views/chart_view.h"
#include "gui/views/finding_table.h"
#include "gui/views/theme.h"
#include "reports/figure/chart_drawing.h"
#include "tests/gui/examples.h"
#include "tests/gui/fixture.h"
#include "tests/gui/timed_run.h"

namespace mansard::gui {
namespace {

using testing::example_run;

class GapViewTest : public ::testing::Test {
 protected:
  GapViewTest() {
    apply_theme(*qApp, figure::Theme::light);
    view.resize(1200, 640);
    view.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view));
  }

  void show(const std::shared_ptr<const OpenRun>& run) {
    selection.set_run(run);
    view.set_run(run);
  }
  bool has_ledger() {
    return QTest::qWaitFor([&] { return view.message().isEmpty(); }, 20000);
  }
  bool says(const char* words) {
    return QTest::qWaitFor([&] { return view.message().contains(QString::fromUtf8(words)); }, 5000);
  }
  std::size_t line(const char* id) {
    const analysis::Table& table = view.ledger()->table();
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      if (table.rows[i][0] == analysis::Cell{std::string(id)}) return i;
    }
    ADD_FAILURE() << "no line " << id;
    return 0;
  }
  QPoint in_bar(std::size_t row) {
    const figure::Rect value = area_of(view.chart()->drawing(), figure::bar_link(row)).value();
    return {view.chart()->width() / 2, static_cast<int>((value.top + value.bottom) / 2)};
  }

  SelectionModel selection;
  StepTimeView view{&selection, nullptr};
};

TEST_F(GapViewTest, ExplainsAStepOfOneRun) {
  show(example_run("h200_layer_bf16.sqlite"));
  EXPECT_TRUE(view.message().startsWith(QStringLiteral("Computing")));
  ASSERT_TRUE(has_ledger());
  const analysis::Table& ledger = view.ledger()->table();
  EXPECT_EQ(ledger.rows.front()[0], analysis::Cell{std::string("ideal")});
  double sum_s = std::get<double>(ledger.rows.front()[4]);
  for (const auto& row : ledger.rows) {
    if (const auto* adds_s = std::get_if<double>(&row[2])) sum_s += *adds_s;
  }
  EXPECT_NEAR(sum_s, std::get<double>(ledger.rows.back()[4]), 1e-9);
  // Bars are painted at the positions of the drawing, in the colors of their roles.
  const figure::Drawing& drawing = view.chart()->drawing();
  const QImage picture = view.chart()->grab().toImage();
  const figure::Link last =
      figure::bar_link(static_cast<std::uint32_t>(view.chart()->data().bars.size() - 1));
  int totals = 0;
  for (const figure::Shape& shape : drawing.shapes()) {
    if (shape.kind != figure::ShapeKind::rect || shape.link != last) continue;
    if (!drawing.style_of(shape).fill) continue;
    const auto n = drawing.numbers_of(shape);
    EXPECT_EQ(picture.pixelColor(static_cast<int>(std::lround(n[0] + 3)),
                                 static_cast<int>(std::lround(n[1] + 3))),
              to_qcolor(figure::surface(figure::Theme::light).compute));
    ++totals;
  }
  EXPECT_EQ(totals, 1);
  // All displayed data is available as tables.
  EXPECT_GE(view.tables().size(), 3u);
}

TEST_F(GapViewTest, ExplainsTheDifferenceToABaseline) {
  show(example_run("h200_layer_nvfp4.sqlite"));
  ASSERT_TRUE(has_ledger());
  view.set_baseline(example_run("h200_layer_bf16.sqlite"));
  EXPECT_FALSE(view.message().isEmpty());
  ASSERT_TRUE(has_ledger());
  line("high_precision_gemms_changed");  // a line that exists only in comparisons
  ASSERT_GE(view.tabs()->count(), 4);
  EXPECT_EQ(view.tabs()->tabText(0), QStringLiteral("Breakdown"));
  EXPECT_EQ(view.tabs()->tabText(view.tabs()->count() - 1).left(5), QStringLiteral("Notes"));
  view.set_baseline(nullptr);
  ASSERT_TRUE(has_ledger());
  for (const auto& row : view.ledger()->table().rows) {
    EXPECT_NE(row[0], analysis::Cell{std::string("non_gemm")});
  }
}

TEST_F(GapViewTest, LineShowsItsKernelsAndFiltersByItsClass) {
  show(example_run("h200_layer_bf16.sqlite"));
  ASSERT_TRUE(has_ledger());
  const std::size_t gemm = line("gemm");
  QTest::mouseClick(view.chart(), Qt::LeftButton, {}, in_bar(gemm));
  EXPECT_EQ(view.ledger()->current(), gemm);
  EXPECT_EQ(selection.filter().operation_class, QStringLiteral("gemm"));
  ASSERT_FALSE(view.behind()->table().rows.empty());
  // Selects a kernel of the line.
  const QModelIndex first = view.behind()->model()->index(0, 0);
  QTest::mouseClick(view.behind()->viewport(), Qt::LeftButton, {},
                    view.behind()->visualRect(first).center());
  ASSERT_TRUE(selection.selected());
  const analysis::KernelRow& row = selection.run()->analysis.rows[*selection.selected()];
  EXPECT_EQ(row.operation_class, "gemm");
  EXPECT_TRUE(first.data().toString().startsWith(QString::fromStdString(row.short_name)));
  // Choosing the line again removes the filter.
  QTest::mouseClick(view.chart(), Qt::LeftButton, {}, in_bar(gemm));
  EXPECT_TRUE(selection.filter().operation_class.isEmpty());
  QTest::keyClick(&view, Qt::Key_Escape);
  EXPECT_FALSE(selection.selected());
  QTest::keyClick(&view, Qt::Key_0);
  EXPECT_FALSE(view.ledger()->current());
}

TEST_F(GapViewTest, SaysWhyItHasNoLedger) {
  EXPECT_TRUE(says("No profile is open"));
  show(testing::empty_run());
  EXPECT_TRUE(says("This profile has no launches"));
  show(testing::host_run());
  ASSERT_TRUE(QTest::qWaitFor([&] { return !view.message().startsWith("Computing"); }, 5000));
  EXPECT_FALSE(view.message().isEmpty());
  show(testing::one_kernel_run(100));
  ASSERT_TRUE(has_ledger());
  view.set_baseline(testing::host_run());
  ASSERT_TRUE(QTest::qWaitFor([&] { return !view.message().startsWith("Computing"); }, 5000));
  show(nullptr);
  EXPECT_TRUE(says("No profile is open"));
  EXPECT_TRUE(view.tables().empty());
}

TEST_F(GapViewTest, ShowsThePartsOfAStepWithoutSolTime) {
  test::ProfileBuilder builder;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t start_ns = i * 1'000'000;
    builder.range(start_ns, start_ns + 1'000'000, "step " + std::to_string(i));
    builder.launch(start_ns + 10'000, start_ns + 100'000, start_ns + 300'000, "my_gemm");
  }
  show(testing::prepared(builder));
  ASSERT_TRUE(has_ledger());
  ASSERT_TRUE(view.chart()->has_chart());
  const analysis::Table& parts = view.ledger()->table();
  EXPECT_EQ(parts.id, "step_time");
  ASSERT_GE(parts.rows.size(), 2u);
  double sum_s = 0;
  double last_s = 1;
  for (const auto& row : parts.rows) {
    const double time_s = std::get<double>(row[2]);
    EXPECT_LE(time_s, last_s) << "largest first";
    last_s = time_s;
    sum_s += time_s;
  }
  EXPECT_NEAR(sum_s, 1e-3, 0.2e-3) << "a step of 1 ms";
  EXPECT_TRUE(std::get<std::string>(parts.rows.front()[0]).starts_with("idle: "));
  // A class filters all views.
  const auto gemm = std::ranges::find_if(parts.rows, [](const auto& row) {
    return row[0] == analysis::Cell{std::string("gemm kernels")};
  });
  ASSERT_NE(gemm, parts.rows.end());
  const auto bar = static_cast<std::size_t>(gemm - parts.rows.begin());
  QTest::mouseClick(view.chart(), Qt::LeftButton, {}, in_bar(bar));
  EXPECT_EQ(view.ledger()->current(), bar);
  EXPECT_EQ(selection.filter().operation_class, QStringLiteral("gemm"));
}

TEST_F(GapViewTest, TableFitsBesideTheFigure) {
  view.resize(960, 380);
  show(example_run("h200_layer_bf16.sqlite"));
  ASSERT_TRUE(has_ledger());
  QApplication::processEvents();
  EXPECT_GT(view.tabs()->width(), 960 * 35 / 100);
  view.resize(1280, 600);
  QApplication::processEvents();
  EXPECT_GT(view.tabs()->width(), 1280 * 35 / 100);
  EXPECT_GT(view.chart()->width(), 1280 * 50 / 100);
}

TEST_F(GapViewTest, PaintsTheWholeFigureIntoAnyPainter) {
  show(example_run("h200_layer_bf16.sqlite"));
  ASSERT_TRUE(has_ledger());
  ASSERT_TRUE(view.is_figure());
  QImage picture(view.size(), QImage::Format_RGB32);
  QPainter painter(&picture);
  view.paint_figure(painter);
  painter.end();
  int loss = 0;
  const QRgb wanted = to_qcolor(figure::surface(figure::Theme::light).loss).rgb();
  for (int y = 0; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) loss += picture.pixel(x, y) == wanted ? 1 : 0;
  }
  EXPECT_GT(loss, 100);
}

TEST_F(GapViewTest, IsNotComputedWhileHidden) {
  StepTimeView hidden(&selection);
  hidden.set_run(example_run("h200_layer_bf16.sqlite"));
  QTest::qWait(50);
  EXPECT_TRUE(hidden.tables().empty());
  hidden.show();
  EXPECT_TRUE(QTest::qWaitFor([&] { return !hidden.tables().empty(); }, 20000));
}

}  // namespace
}  // namespace mansard::gui
