// SPDX-License-Identifier: Apache-2.0
// The time and complexity planes, and the display options of all planes.
#include "gui/views/plane_view.h"

#include <QActionGroup>
#include <QApplication>
#include <QBuffer>
#include <QImage>
#include <QMenu>
#include <QPainter>
#include <QSvgGenerator>
#include <QTest>
#include <QToolButton>
#include <QXmlStreamReader>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "gui/views/plane_controls.h"
#include "gui/views/roofline_view.h"
#include "gui/views/run_views.h"
#include "gui/views/theme.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

int distance(const QColor& a, const QColor& b) {
  return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
         std::abs(a.blue() - b.blue());
}

// The least distance to a color in the 3x3 pixels around a place: antialiasing blends edges.
int distance_near(const QImage& image, figure::Point at, const QColor& color) {
  int least = 999;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      const QPoint p(static_cast<int>(std::floor(at.x)) + dx,
                     static_cast<int>(std::floor(at.y)) + dy);
      if (image.rect().contains(p)) least = std::min(least, distance(image.pixelColor(p), color));
    }
  }
  return least;
}

class PlaneViewTest : public ::testing::Test {
 protected:
  PlaneViewTest() { apply_theme(*qApp, figure::Theme::light); }

  PlaneView& open(PlaneKind kind, analysis::RunAnalysis analysis) {
    run = prepare_run(std::move(analysis));
    selection.set_run(run);
    view = std::make_unique<PlaneView>(kind, &selection);
    view->resize(1000, 600);
    view->set_run(run);
    view->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(view.get()));
    return *view;
  }
  PlaneView& open(PlaneKind kind) { return open(kind, *testing::training_run()); }

  const PlaneScene& scene() const { return view->scene(); }
  QImage picture() { return view->grab().toImage(); }
  std::size_t row_of(const char* operation_class) const {
    for (std::size_t i = 0; i < run->analysis.rows.size(); ++i) {
      if (run->analysis.rows[i].operation_class == operation_class) return i;
    }
    ADD_FAILURE() << operation_class;
    return 0;
  }
  // Covered by a name, or by the SOL point of another kernel.
  bool covered(figure::Point at) const {
    const figure::OrientedBox box{at, 8, 8, 0};
    for (const figure::NamedBox& label : scene().layout().mark_names) {
      if (figure::overlap(label.box, box)) return true;
    }
    for (const figure::LineLabel& label : scene().layout().line_labels) {
      if (figure::overlap(label.box, box)) return true;
    }
    int near = 0;
    for (const figure::Mark& mark : scene().layout().marks) {
      const auto& ideal = scene().figure().points[mark.point].ideal;
      if (!ideal) continue;
      const figure::Point other = scene().position(*ideal);
      near += std::hypot(other.x - at.x, other.y - at.y) < 10;
    }
    return near > 1;
  }
  void choose(const char* menu, const QString& text) {
    QMenu* found = view->controls()->submenu(QString::fromUtf8(menu));
    ASSERT_NE(found, nullptr) << menu;
    for (QAction* action : found->actions()) {
      if (action->text() == text) return action->trigger();
    }
    FAIL() << menu << ": " << qPrintable(text);
  }

  std::shared_ptr<const OpenRun> run;
  SelectionModel selection;
  std::unique_ptr<PlaneView> view;
};

TEST_F(PlaneViewTest, RunHasAllPlanes) {
  for (const char* name : {"time_plane", "complexity_plane"}) {
    const auto spec = std::ranges::find_if(
        run_views(), [&](const RunViewSpec& s) { return std::string_view(s.name) == name; });
    ASSERT_NE(spec, run_views().end()) << name;
    EXPECT_EQ(spec->needs, Needs::rows);
    const std::unique_ptr<RunView> made(spec->make(&selection));
    EXPECT_TRUE(made->is_figure());
    EXPECT_TRUE(made->tables().empty());  // without a run
    const auto opened = prepare_run(*testing::training_run());
    selection.set_run(opened);
    made->set_run(opened);
    EXPECT_FALSE(made->tables().empty());
  }
}

TEST_F(PlaneViewTest, IdealPointsAreFilledAndMeasuredOnesOpen) {
  open(PlaneKind::time);
  for (const figure::Theme theme : {figure::Theme::light, figure::Theme::dark}) {
    apply_theme(*qApp, theme);
    QCoreApplication::processEvents();
    const QImage image = picture();
    int apart = 0;
    for (const figure::Mark& mark : scene().layout().marks) {
      const figure::PlanePoint& point = scene().figure().points[mark.point];
      ASSERT_TRUE(point.ideal);
      const QColor color = to_qcolor(figure::mark_style(point.operation_class, theme).color);
      const figure::Point ideal = scene().position(*point.ideal);
      if (!scene().plot().contains(ideal) || covered(ideal)) continue;
      if (std::hypot(ideal.x - mark.center.x, ideal.y - mark.center.y) < mark.radius + 6) continue;
      EXPECT_LE(distance_near(image, ideal, color), 6) << point.label;
      // Its inside is only tinted.
      EXPECT_GT(distance(image.pixelColor(static_cast<int>(mark.center.x) + 1,
                                          static_cast<int>(mark.center.y)),
                         color),
                60)
          << point.label;
      ++apart;
    }
    EXPECT_GE(apart, 2);
  }
}

TEST_F(PlaneViewTest, RegionsAreShadedAndNamed) {
  open(PlaneKind::time);
  const QImage image = picture();
  std::vector<std::string> names;
  for (const figure::RegionLabel& label : scene().layout().region_labels) {
    names.push_back(scene().figure().regions[label.region].label);
  }
  EXPECT_EQ(names.size(), 3u);
  const auto box = std::ranges::find_if(scene().figure().regions,
                                        [](const figure::PlaneRegion& r) { return r.x1 > 0; });
  ASSERT_NE(box, scene().figure().regions.end());
  // Background between grid lines: darker inside the box than outside.
  const QPoint inside(static_cast<int>(scene().x().map(box->x1)) - 3,
                      static_cast<int>(scene().y().map(box->y1)) + 3);
  EXPECT_LT(image.pixelColor(inside).lightness(),
            image.pixelColor(inside + QPoint(6, -6)).lightness());
}

TEST_F(PlaneViewTest, DiagonalSeparatesComputeAndMemoryBound) {
  open(PlaneKind::time);
  const QImage image = picture();
  const QColor color = to_qcolor(figure::surface(figure::Theme::light).compute);
  int seen = 0;
  for (int i = 1; i < 12; ++i) {
    const double t = scene().x().min() * std::pow(scene().x().max() / scene().x().min(), i / 12.0);
    if (t < scene().y().min() || t > scene().y().max()) continue;
    seen += distance_near(image, {scene().x().map(t), scene().y().map(t)}, color) < 60;
  }
  EXPECT_GE(seen, 6);  // marks and labels may cover a few
}

TEST_F(PlaneViewTest, UnknownValuesAreOnTheLowerEdge) {
  analysis::RunAnalysis analysis = *testing::training_run();
  for (analysis::KernelRow& row : analysis.rows) {
    if (row.operation_class != "norm") continue;
    row.work.flop.clear();
    row.sol = analysis::speed_of_light(row.work, *analysis.machine);
  }
  open(PlaneKind::complexity, std::move(analysis));
  const figure::PlanePoint* point = scene().point_of(row_of("norm"), scene().level());
  ASSERT_NE(point, nullptr);
  EXPECT_EQ(scene().position(*point).x, scene().plot().left);
  bool drawn = false;
  for (const figure::Mark& mark : scene().layout().marks) {
    drawn = drawn || &scene().figure().points[mark.point] == point;
  }
  EXPECT_TRUE(drawn);
}

TEST_F(PlaneViewTest, TSelectsTheTierOfTheComplexityPlane) {
  open(PlaneKind::complexity);
  ASSERT_EQ(scene().level(), MemoryLevel::hbm);
  const std::size_t row = row_of("gemm");
  const figure::Point before = scene().position(*scene().point_of(row, scene().level()));
  std::set<MemoryLevel> seen{*scene().level()};
  QTest::keyClick(view.get(), Qt::Key_T);
  seen.insert(*scene().level());
  const figure::Point after = scene().position(*scene().point_of(row, scene().level()));
  EXPECT_NEAR(before.x, after.x, 1e-9);  // equal FLOPs
  EXPECT_NE(before.y, after.y);
  for (const figure::PlaneLine& line : scene().lines()) {
    EXPECT_TRUE(figure::holds_at(line.level, scene().level())) << line.id;
  }
  for (std::size_t i = 2; i < scene().levels().size(); ++i) {
    QTest::keyClick(view.get(), Qt::Key_T);
    seen.insert(*scene().level());
  }
  EXPECT_EQ(seen.size(), scene().levels().size());
  QTest::keyClick(view.get(), Qt::Key_T);
  EXPECT_EQ(scene().level(), MemoryLevel::hbm);  // wraps around
}

TEST_F(PlaneViewTest, HiddenCeilingsStayHidden) {
  open(PlaneKind::roofline);
  const auto shows = [this](auto key) {
    return std::ranges::any_of(scene().lines(), [&](const figure::PlaneLine& line) {
      if constexpr (std::is_same_v<decltype(key), MemoryLevel>) return line.level == key;
      if constexpr (std::is_same_v<decltype(key), Precision>) return line.precision == key;
    });
  };
  ASSERT_TRUE(shows(MemoryLevel::hbm));
  ASSERT_TRUE(shows(Precision::fp32));
  const figure::PlaneLine hbm =
      *std::ranges::find(scene().figure().lines, MemoryLevel::hbm, &figure::PlaneLine::level);
  const double x = hbm.x0 * std::pow(hbm.x1 / hbm.x0, 0.62);
  const figure::Point on_slope{scene().x().map(x), scene().y().map(x * hbm.value)};
  const QColor color = to_qcolor(figure::tier_color(MemoryLevel::hbm, figure::Theme::light));
  EXPECT_LE(distance_near(picture(), on_slope, color), 30);

  choose("Memory tiers",
         QString::fromUtf8(info(MemoryLevel::hbm).label.data()));  // the tier of points
  PlaneOptions options = view->options();
  options.hidden_levels.insert(MemoryLevel::hbm);
  options.hidden_precisions.insert(Precision::fp32);
  view->set_options(options);
  EXPECT_FALSE(shows(MemoryLevel::hbm));
  EXPECT_FALSE(shows(Precision::fp32));
  EXPECT_FALSE(scene().layout().marks.empty());
  EXPECT_GT(distance_near(picture(), on_slope, color), 60);

  view->set_run(nullptr);  // during a reload
  view->set_run(prepare_run(*testing::training_run()));
  EXPECT_FALSE(shows(MemoryLevel::hbm));
  EXPECT_FALSE(shows(Precision::fp32));

  choose("Memory tiers", QStringLiteral("&All lines"));
  choose("Precisions", QStringLiteral("&All"));
  EXPECT_TRUE(shows(MemoryLevel::hbm));
  EXPECT_TRUE(shows(Precision::fp32));
  choose("Precisions", QStringLiteral("Only precisions in &use"));
  for (const figure::PlaneLine& line : scene().lines()) {
    EXPECT_TRUE(!line.precision || scene().used().contains(*line.precision)) << line.id;
  }
}

TEST_F(PlaneViewTest, MenuEntryTogglesItsLine) {
  open(PlaneKind::roofline);
  const QString fp32 = QString::fromStdString(std::string(info(Precision::fp32).label));
  choose("Precisions", fp32);
  EXPECT_TRUE(view->options().hidden_precisions.contains(Precision::fp32));
  choose("Precisions", fp32);
  EXPECT_FALSE(view->options().hidden_precisions.contains(Precision::fp32));
}

TEST_F(PlaneViewTest, ChosenTierIsKeptForTheNextRun) {
  open(PlaneKind::roofline);
  QTest::keyClick(view.get(), Qt::Key_T);
  const auto chosen = scene().level();
  ASSERT_NE(chosen, MemoryLevel::hbm);
  view->set_run(nullptr);
  EXPECT_EQ(scene().level(), std::nullopt);
  view->set_run(run);
  EXPECT_EQ(scene().level(), chosen);
}

TEST_F(PlaneViewTest, AllControlsAreReachableByKeys) {
  open(PlaneKind::roofline);
  std::vector<QToolButton*> buttons;
  for (QToolButton* button : view->controls()->findChildren<QToolButton*>()) {
    if (button->isVisible()) buttons.push_back(button);
  }
  EXPECT_EQ(buttons.size(), 4u);
  for (const QToolButton* button : buttons) EXPECT_TRUE(button->focusPolicy() & Qt::TabFocus);
  QTest::keyClick(view.get(), Qt::Key_M);
  EXPECT_TRUE(view->controls()->menu()->isVisible());
  EXPECT_EQ(view->controls()->menu()->actions().size(), 4);
  view->controls()->menu()->close();
  // One button where there is no room for four.
  view->resize(400, 300);
  QCoreApplication::processEvents();
  int shown = 0;
  for (QToolButton* button : view->controls()->findChildren<QToolButton*>()) {
    shown += button->isVisible();
  }
  EXPECT_EQ(shown, 1);
  EXPECT_GE(scene().plot().top, view->controls()->geometry().bottom());
}

TEST_F(PlaneViewTest, LegendDoesNotOverlapTheControls) {
  for (const int width : {420, 640, 1000, 1600}) {
    open(PlaneKind::roofline);
    view->resize(width, 500);
    QCoreApplication::processEvents();
    const QRect controls = view->controls()->geometry();
    EXPECT_LE(controls.right(), width);
    for (const figure::ClassKey& key : scene().layout().legend) {
      const QRectF area(key.area.left, key.area.top, key.area.width(), key.area.height());
      EXPECT_FALSE(area.intersects(controls)) << width << ' ' << key.operation_class.name();
      EXPECT_LE(key.area.bottom, scene().plot().top);
    }
  }
}

TEST_F(PlaneViewTest, MarkSizeFollowsTheShareOfShownTime) {
  open(PlaneKind::roofline);
  const std::size_t row = row_of("attention");
  const auto radius = [&] {
    for (const figure::Mark& mark : scene().layout().marks) {
      if (scene().figure().points[mark.point].row == row) return mark.radius;
    }
    return 0.0;
  };
  const double before = radius();
  ASSERT_GT(before, 0);
  selection.set_operation_class(QStringLiteral("attention"));
  EXPECT_GT(radius(), before);
  EXPECT_NEAR(radius(), figure::mark_radius(selection.shown()->share(row)), 1e-9);
  selection.undo();
  EXPECT_NEAR(radius(), before, 1e-9);
  EXPECT_TRUE(scene().layout().filtered_out.empty());
}

TEST_F(PlaneViewTest, EmptyPlanesSayWhatIsMissing) {
  for (const PlaneKind kind : {PlaneKind::roofline, PlaneKind::time, PlaneKind::complexity}) {
    open(kind, {});
    EXPECT_FALSE(scene().sentence().isEmpty());
    EXPECT_FALSE(picture().isNull());

    analysis::RunAnalysis machine_alone;
    machine_alone.machine = testing::h200().devices.front();
    open(kind, machine_alone);
    EXPECT_EQ(scene().sentence().isEmpty(), kind == PlaneKind::roofline);
    picture();

    analysis::RunAnalysis no_counters = *testing::training_run();
    no_counters.points.clear();
    for (analysis::KernelRow& row : no_counters.rows) {
      row.work = {};
      row.sol = {};
      row.origin = analysis::WorkOrigin::none;
    }
    open(kind, no_counters);
    EXPECT_TRUE(scene().layout().marks.empty());
    EXPECT_TRUE(scene().sentence().contains(QStringLiteral("counters")));
    picture();

    analysis::RunAnalysis no_machine = *testing::training_run();
    no_machine.machine.reset();
    for (analysis::KernelRow& row : no_machine.rows) row.sol = {};
    open(kind, no_machine);
    if (kind == PlaneKind::time) {
      EXPECT_TRUE(scene().sentence().contains(QStringLiteral("machine model")));
    } else {
      EXPECT_FALSE(scene().layout().marks.empty());
    }
    picture();

    analysis::RunAnalysis one = *testing::training_run();
    one.rows.resize(1);
    std::erase_if(one.points, [](const analysis::RooflinePoint& p) { return p.row > 0; });
    open(kind, one);
    EXPECT_EQ(scene().layout().marks.size(), 1u);
    EXPECT_TRUE(scene().sentence().isEmpty());
    picture();

    selection.set_words(QStringLiteral("no such kernel"));
    EXPECT_TRUE(scene().layout().marks.empty());
    EXPECT_TRUE(scene().sentence().contains(QStringLiteral("filter")));
    picture();
  }
}

TEST_F(PlaneViewTest, HostRunHasPlanes) {
  analysis::RunAnalysis host = *testing::training_run();
  host.machine.reset();
  for (analysis::KernelRow& row : host.rows) {
    row.kind = analysis::RowKind::host_range;
    row.target = kernels::Target::host;
    row.launch_indices.clear();
    const auto bytes = row.work.bytes;
    row.work.bytes.clear();
    for (const auto& [level, amount] : bytes) {
      if (level == MemoryLevel::hbm) row.work.bytes[MemoryLevel::dram] = amount;
    }
    row.sol = {};
  }
  for (analysis::RooflinePoint& point : host.points) {
    if (point.level == MemoryLevel::hbm) point.level = MemoryLevel::dram;
  }
  open(PlaneKind::complexity, host);
  EXPECT_EQ(scene().level(), MemoryLevel::dram);
  EXPECT_FALSE(scene().layout().marks.empty());
  open(PlaneKind::roofline, host);
  EXPECT_EQ(scene().level(), MemoryLevel::dram);
  picture();
}

TEST_F(PlaneViewTest, AcceptsTinySizes) {
  for (const PlaneKind kind : {PlaneKind::roofline, PlaneKind::time, PlaneKind::complexity}) {
    open(kind);
    PlaneOptions options;
    options.marks = PlaneMarks::both;
    view->set_options(options);
    for (const QSize size : {QSize(1, 1), QSize(30, 20), QSize(120, 90), QSize(3000, 100)}) {
      view->resize(size);
      QCoreApplication::processEvents();
      QImage image(size, QImage::Format_ARGB32_Premultiplied);
      QPainter painter(&image);
      view->paint_figure(painter);
    }
  }
}

TEST_F(PlaneViewTest, ExportedFigureContainsItsTexts) {
  for (const PlaneKind kind : {PlaneKind::roofline, PlaneKind::time, PlaneKind::complexity}) {
    for (const PlaneMarks marks : {PlaneMarks::kernels, PlaneMarks::both}) {
      open(kind);
      PlaneOptions options;
      options.marks = marks;
      view->set_options(options);
      QBuffer buffer;
      QSvgGenerator svg;
      svg.setOutputDevice(&buffer);
      svg.setSize(view->size());
      {
        QPainter painter(&svg);
        view->paint_figure(painter);
      }
      QXmlStreamReader xml(buffer.data());
      QString text;
      bool image = false;
      while (!xml.atEnd()) {
        xml.readNext();
        image = image || xml.name() == QLatin1String("image");
        if (xml.isCharacters()) text += xml.text();
      }
      EXPECT_FALSE(xml.hasError()) << qPrintable(xml.errorString());
      EXPECT_TRUE(text.contains(QStringLiteral("gemm")));
      EXPECT_TRUE(text.contains(QString::fromStdString(scene().figure().x.label)));
      EXPECT_EQ(image, marks == PlaneMarks::both && scene().has_density());
    }
  }
}

}  // namespace
}  // namespace mansard::gui
