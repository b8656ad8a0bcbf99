// SPDX-License-Identifier: Apache-2.0
#include "gui/views/machine_view.h"

#include <QHelpEvent>
#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QTabWidget>
#include <QTest>
#include <QToolTip>
#include <cmath>

#include <gtest/gtest.h>

#include "gui/views/finding_table.h"
#include "gui/views/sample_plot_view.h"
#include "gui/views/sweep_plot_view.h"
#include "gui/views/theme.h"
#include "reports/figure/drawing.h"
#include "tests/gui/examples.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

using testing::example_run;

class MachineViewTest : public ::testing::TestWithParam<figure::Theme> {
 protected:
  MachineViewTest() {
    apply_theme(*qApp, GetParam());
    view.resize(1200, 640);
    view.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view));
  }
  ~MachineViewTest() override { apply_theme(*qApp, figure::Theme::light); }

  FindingTable* table() { return static_cast<FindingTable*>(view.kinds()->currentWidget()); }
  void choose_kind(const char* title) {
    for (int i = 0; i < view.kinds()->count(); ++i) {
      if (view.kinds()->tabText(i) == QString::fromUtf8(title)) view.kinds()->setCurrentIndex(i);
    }
  }
  void click(int row) {
    const QModelIndex index = table()->model()->index(row, 0);
    table()->scrollTo(index);
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, table()->visualRect(index).center());
  }
  QString all_labels() {
    QString text;
    for (const QLabel* label : view.findChildren<QLabel*>()) text += label->text() + '\n';
    return text;
  }

  SelectionModel selection;
  MachineView view{&selection, nullptr};
};

TEST_P(MachineViewTest, ListsEveryCeilingOnce) {
  view.set_run(example_run("h200_layer_bf16.sqlite"));
  std::size_t rows = 0;
  for (const analysis::Table& t : view.tables()) rows += t.rows.size();
  EXPECT_EQ(rows, example_run("h200_layer_bf16.sqlite")->analysis.machine->ceilings.size());
  EXPECT_EQ(view.kinds()->count(), static_cast<int>(view.tables().size()));
  const QString about = all_labels();
  EXPECT_TRUE(about.contains(QStringLiteral("NVIDIA H200")));
  EXPECT_TRUE(about.contains(QStringLiteral("driver 580")));
  EXPECT_TRUE(about.contains(QStringLiteral("mansard characterize")));
}

TEST_P(MachineViewTest, DrawsTheSamplesOfTheChosenCeiling) {
  view.set_run(example_run("h200_layer_bf16.sqlite"));
  click(3);
  ASSERT_NE(view.chosen(), nullptr);
  EXPECT_EQ(table()->table().rows[3][1], analysis::Cell{view.chosen()->value});
  const auto& drawing = view.samples()->drawing();
  ASSERT_TRUE(drawing);
  const figure::Style median = figure::stroked(figure::class_ink("gemm"), 1.5);
  std::size_t dots = 0;
  std::vector<figure::Segment> medians;
  for (const figure::Shape& shape : drawing->shapes()) {
    const auto n = drawing->numbers_of(shape);
    dots += shape.kind == figure::ShapeKind::mark ? 1 : 0;
    if (drawing->style_of(shape) == median) medians.push_back({{n[0], n[1]}, {n[2], n[3]}});
  }
  ASSERT_EQ(medians.size(), 3u) << "value, clock and power";
  EXPECT_EQ(dots, 3 * view.chosen()->samples.size());
  // The median line is at its position, where no dot covers it.
  const QImage picture = view.samples()->grab().toImage();
  const QColor wanted = to_qcolor(figure::mark_style("gemm", GetParam()).color);
  const figure::Segment line = medians[0];
  int found = 0;
  for (int x = static_cast<int>(line.a.x) + 2; x < line.b.x - 2; ++x) {
    const QColor c = picture.pixelColor(x, static_cast<int>(line.a.y));
    found += std::abs(c.red() - wanted.red()) + std::abs(c.green() - wanted.green()) +
                         std::abs(c.blue() - wanted.blue()) <
                     60
                 ? 1
                 : 0;
  }
  EXPECT_GT(found, 20);
  // The tooltip of a sample.
  const figure::Rect dot = area_of(*drawing, {figure::Link::To::sample, 0}).value();
  const QPoint at(static_cast<int>(std::lround((dot.left + dot.right) / 2)),
                  static_cast<int>(std::lround((dot.top + dot.bottom) / 2)));
  QHelpEvent event(QEvent::ToolTip, at, view.samples()->mapToGlobal(at));
  QApplication::sendEvent(view.samples(), &event);
  EXPECT_TRUE(QToolTip::text().startsWith(QStringLiteral("Sample ")));
  EXPECT_TRUE(QToolTip::text().contains(QStringLiteral("FLOP/s")));
}

TEST_P(MachineViewTest, TiersHaveACurve) {
  view.set_run(example_run("h200_layer_bf16.sqlite"));
  EXPECT_EQ(view.figures()->count(), 1);
  choose_kind("Memory bandwidth");
  ASSERT_EQ(view.figures()->count(), 2);
  view.figures()->setCurrentIndex(1);
  const auto drawing = view.sweep()->drawing();
  ASSERT_TRUE(drawing);
  const QImage picture = view.sweep()->grab().toImage();
  int points = 0;
  for (const figure::Shape& shape : drawing->shapes()) {
    if (shape.kind != figure::ShapeKind::mark || shape.link.index != 0) continue;
    const auto n = drawing->numbers_of(shape);
    EXPECT_EQ(picture.pixelColor(static_cast<int>(n[0]), static_cast<int>(n[1])),
              to_qcolor(drawing->style_of(shape).fill->in(GetParam())));
    ++points;
  }
  EXPECT_GT(points, 4);
  // The next tier keeps the curve in front; a compute rate has no curve.
  click(1);
  EXPECT_EQ(view.figures()->currentWidget(), view.sweep());
  choose_kind("Compute ceilings");
  EXPECT_EQ(view.figures()->count(), 1);
  EXPECT_EQ(view.figures()->currentWidget(), view.samples());
}

TEST_P(MachineViewTest, PaintsTheFigureIntoAnyPainter) {
  view.set_run(example_run("h200_layer_bf16.sqlite"));
  const auto paint = [&] {
    QImage picture(800, 500, QImage::Format_RGB32);
    QPainter painter(&picture);
    view.paint_figure(painter);
    return picture;
  };
  choose_kind("Memory bandwidth");
  const QImage samples = paint();
  view.figures()->setCurrentIndex(1);
  EXPECT_NE(paint(), samples);
  EXPECT_EQ(samples.pixelColor(2, 2), to_qcolor(figure::surface(GetParam()).background));
  view.show_everything();
  EXPECT_EQ(view.kinds()->currentIndex(), 0);
}

TEST_P(MachineViewTest, SaysWhyItIsEmpty) {
  EXPECT_EQ(view.message(), QStringLiteral("No profile is open."));
  view.set_run(testing::empty_run());
  EXPECT_TRUE(view.message().contains(QStringLiteral("No machine model matches")));
  EXPECT_TRUE(view.tables().empty());
  // Ceilings without samples: published figures, or a hand-written model.
  analysis::RunAnalysis alone;
  alone.machine = testing::h200().devices.front();
  view.set_run(prepare_run(std::move(alone)));
  EXPECT_EQ(view.message(), QString());
  EXPECT_FALSE(view.samples()->drawing());
  view.samples()->grab();
  analysis::RunAnalysis none;
  none.machine = roofline::DeviceModel();
  view.set_run(prepare_run(std::move(none)));
  EXPECT_TRUE(view.message().contains(QStringLiteral("no ceilings")));
  view.show_everything();
  view.set_run(nullptr);
  EXPECT_TRUE(view.tables().empty());
}

INSTANTIATE_TEST_SUITE_P(Themes, MachineViewTest,
                         ::testing::Values(figure::Theme::light, figure::Theme::dark),
                         [](const auto& theme) {
                           return theme.param == figure::Theme::light ? "Light" : "Dark";
                         });

}  // namespace
}  // namespace mansard::gui
