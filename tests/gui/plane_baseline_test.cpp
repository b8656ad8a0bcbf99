// SPDX-License-Identifier: Apache-2.0
// A plane with a baseline, and with the ceilings of other machines.
#include <QApplication>
#include <QDir>
#include <QImage>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "gui/models/row_matches.h"
#include "gui/views/plane_view.h"
#include "gui/views/theme.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

// A baseline of the same program: one class twice as slow, another faster, and a kernel that no
// longer exists.
analysis::RunAnalysis earlier_run() {
  analysis::RunAnalysis run = *testing::training_run();
  run.title = "before";
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    analysis::KernelRow& row = run.rows[i];
    const double factor = row.operation_class == "gemm"        ? 4
                          : row.operation_class == "attention" ? 0.4
                                                               : 1;
    row.time_s *= factor;
    row.median_s *= factor;
    for (analysis::RooflinePoint& point : run.points) {
      if (point.row == i) point.flop_per_s /= factor;
    }
    if (row.operation_class == "norm") row.name = row.short_name = "gone_since";
  }
  return run;
}

class PlaneBaselineTest : public ::testing::Test {
 protected:
  PlaneBaselineTest() {
    apply_theme(*qApp, figure::Theme::light);
    run = prepare_run(*testing::training_run());
    selection.set_run(run);
    view.resize(1000, 600);
    view.set_run(run);
    view.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view));
  }
  void compare(analysis::RunAnalysis analysis) {
    baseline = prepare_run(std::move(analysis));
    view.set_baseline(baseline);
  }
  const PlaneScene& scene() const { return view.scene(); }
  QImage picture() { return view.grab().toImage(); }
  QString write_machine(const char* name) {
    roofline::MachineModel model = testing::h200();
    model.devices.front().device.name = name;
    for (roofline::Ceiling& ceiling : model.devices.front().ceilings) ceiling.value *= 3;
    const QString file = folder.filePath(QString::fromUtf8(name) + QStringLiteral(".json"));
    std::ofstream(file.toStdString()) << roofline::to_json(model);
    return file;
  }

  QTemporaryDir folder;
  std::shared_ptr<const OpenRun> run;
  std::shared_ptr<const OpenRun> baseline;
  SelectionModel selection;
  PlaneView view{PlaneKind::roofline, &selection};
};

TEST_F(PlaneBaselineTest, MatchesEveryKernelOnceInBothDirections) {
  const analysis::RunAnalysis before = earlier_run();
  const RowMatches matches = match_rows(run->analysis, before);
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < run->analysis.rows.size(); ++i) {
    const auto theirs = matches.in_baseline(i);
    if (!theirs) {
      EXPECT_EQ(run->analysis.rows[i].operation_class, "norm");
      continue;
    }
    EXPECT_EQ(matches.in_run(*theirs), i);
    EXPECT_EQ(before.rows[*theirs].name, run->analysis.rows[i].name);
    ++pairs;
  }
  EXPECT_EQ(pairs + 1, run->analysis.rows.size());
  EXPECT_EQ(matches.in_baseline(9999), std::nullopt);
}

TEST_F(PlaneBaselineTest, MatchesRowsOfOneNameByPrecisionThenTime) {
  const auto row = [](const char* name, Precision precision, double time_s, int grid) {
    analysis::KernelRow r;
    r.name = r.short_name = name;
    r.operation_class = "gemm";
    r.precision = precision;
    r.time_s = time_s;
    r.grid = {grid, 1, 1};
    return r;
  };
  analysis::RunAnalysis a, b;
  a.rows = {row("k", Precision::fp32, 5, 1), row("k", Precision::bf16, 4, 1),
            row("k", Precision::fp32, 3, 1)};
  b.rows = {row("k", Precision::bf16, 9, 2), row("k", Precision::fp32, 8, 2)};
  const RowMatches matches = match_rows(b, a);
  EXPECT_EQ(matches.in_baseline(0), 1u);
  EXPECT_EQ(matches.in_baseline(1), 0u);
  EXPECT_EQ(matches.in_run(2), std::nullopt);
}

TEST_F(PlaneBaselineTest, ArrowsPointFromBaselineToRun) {
  EXPECT_TRUE(scene().layout().baseline_marks.empty());
  compare(earlier_run());
  EXPECT_FALSE(scene().layout().baseline_marks.empty());
  ASSERT_TRUE(scene().layout().baseline_key);
  EXPECT_EQ(scene().layout().baseline_key->text, "from before to this run");
  int faster = 0;
  int slower = 0;
  const QImage image = picture();
  for (const figure::PlaneArrow& a : scene().layout().arrows) {
    const bool up = a.arrow.head[0].y < a.arrow.shaft.a.y;
    EXPECT_EQ(a.change, up ? figure::Change::faster : figure::Change::slower);
    faster += a.change == figure::Change::faster;
    slower += a.change == figure::Change::slower;
    const auto& [tip, left, right] = a.arrow.head;
    const QColor expected = to_qcolor(up ? figure::surface(figure::Theme::light).gain
                                         : figure::surface(figure::Theme::light).loss);
    const QPoint inside(static_cast<int>((tip.x + left.x + right.x) / 3),
                        static_cast<int>((tip.y + left.y + right.y) / 3));
    const QColor c = image.pixelColor(inside);
    EXPECT_LE(std::abs(c.red() - expected.red()) + std::abs(c.green() - expected.green()) +
                  std::abs(c.blue() - expected.blue()),
              60);
  }
  EXPECT_GE(faster, 1);
  EXPECT_GE(slower, 1);
  view.set_baseline(nullptr);
  EXPECT_TRUE(scene().layout().baseline_marks.empty());
  EXPECT_TRUE(scene().layout().arrows.empty());
  EXPECT_FALSE(scene().layout().baseline_key);
}

TEST_F(PlaneBaselineTest, TooltipsShowBothRuns) {
  compare(earlier_run());
  bool seen = false;
  for (const figure::Mark& mark : scene().layout().marks) {
    const QString text = view.tooltip(mark);
    if (scene().figure().points[mark.point].operation_class == "norm") {
      EXPECT_TRUE(text.contains(QStringLiteral("not in before")));
    } else if (scene().figure().points[mark.point].operation_class == "gemm") {
      EXPECT_TRUE(text.contains(QStringLiteral("before"))) << qPrintable(text);
      EXPECT_TRUE(text.contains(QStringLiteral("(-75.0 %)"))) << qPrintable(text);
      seen = true;
    }
  }
  EXPECT_TRUE(seen);
}

TEST_F(PlaneBaselineTest, BaselineMarkSelectsItsKernel) {
  compare(earlier_run());
  for (const figure::Mark& mark : scene().layout().baseline_marks) {
    const figure::PlanePoint& point = scene().baseline()->figure.points[mark.point];
    if (point.operation_class != "gemm") continue;
    const QPoint at(static_cast<int>(mark.center.x), static_cast<int>(mark.center.y));
    if (figure::mark_at(scene().layout().marks, mark.center, 4)) continue;
    QTest::mouseMove(&view, at);
    EXPECT_TRUE(QTest::qWaitFor([&] { return selection.hovered().has_value(); }, 2000));
    EXPECT_TRUE(QToolTip::text().contains(QStringLiteral("before")));
    QTest::mouseClick(&view, Qt::LeftButton, {}, at);
    EXPECT_EQ(selection.selected(), scene().baseline()->matches.in_run(point.row));
    return;
  }
  FAIL() << "no free mark of the baseline";
}

TEST_F(PlaneBaselineTest, FilterAppliesToBothRuns) {
  compare(earlier_run());
  selection.set_operation_class(QStringLiteral("attention"));
  EXPECT_FALSE(scene().layout().baseline_marks.empty());
  for (const figure::Mark& mark : scene().layout().baseline_marks) {
    EXPECT_EQ(scene().baseline()->figure.points[mark.point].operation_class, "attention");
  }
}

TEST_F(PlaneBaselineTest, MatchesLargeRunsInTheBackground) {
  analysis::RunAnalysis large;
  large.machine = run->analysis.machine;
  const analysis::KernelRow& like = run->analysis.rows.front();
  for (std::size_t i = 0; i < 5000; ++i) {
    analysis::KernelRow row = like;
    row.launch_indices.clear();
    row.name = row.short_name = "kernel_" + std::to_string(i);
    large.points.push_back({i, MemoryLevel::hbm, 10, 1e12});
    large.rows.push_back(std::move(row));
  }
  compare(large);
  EXPECT_EQ(scene().baseline(), nullptr);
  EXPECT_TRUE(QTest::qWaitFor([&] { return scene().baseline() != nullptr; }, 20000));
  // A superseded result is not shown.
  view.set_baseline(nullptr);
  view.set_baseline(baseline);
  view.set_baseline(nullptr);
  QTest::qWait(300);
  EXPECT_EQ(scene().baseline(), nullptr);
  // Nor is a result for a destroyed view.
  auto gone = std::make_unique<PlaneView>(PlaneKind::roofline, &selection);
  gone->set_run(run);
  gone->set_baseline(baseline);
  gone.reset();
  QTest::qWait(300);
}

TEST_F(PlaneBaselineTest, DrawsNamedCeilingsOfAnotherMachine) {
  const QString file = write_machine("NVIDIA Faster");
  const std::size_t own = scene().lines().size();
  EXPECT_EQ(view.add_machine(file), QString());
  ASSERT_GT(scene().lines().size(), own);
  const QImage image = picture();
  int drawn = 0;
  for (std::size_t i = 0; i < scene().lines().size(); ++i) {
    const figure::PlaneLine& line = scene().lines()[i];
    EXPECT_EQ(scene().of_other_machine(i), line.label.ends_with("(Faster)")) << line.label;
    if (!scene().of_other_machine(i) || line.level != MemoryLevel::hbm) continue;
    // Dashed: some pixels have the color, some do not.
    const QColor expected = to_qcolor(figure::tier_color(MemoryLevel::hbm, figure::Theme::light));
    int on = 0;
    for (int k = 0; k < 60; ++k) {
      const double x = scene().x().invert(scene().plot().left + 60 + k);
      const QPoint at(static_cast<int>(scene().plot().left) + 60 + k,
                      static_cast<int>(scene().y().map(x * line.value)));
      if (!image.rect().contains(at)) continue;
      const QColor c = image.pixelColor(at);
      on += std::abs(c.red() - expected.red()) + std::abs(c.blue() - expected.blue()) < 90;
    }
    EXPECT_GT(on, 15);
    EXPECT_LT(on, 58);
    ++drawn;
  }
  EXPECT_EQ(drawn, 1);
  // Added only once, and kept for the next run.
  view.add_machine(file);
  EXPECT_EQ(view.options().machines.size(), 1u);
  view.set_run(nullptr);
  view.set_run(run);
  EXPECT_GT(scene().lines().size(), own);
  PlaneOptions options = view.options();
  options.machines.clear();
  view.set_options(options);
  EXPECT_EQ(scene().lines().size(), own);
}

TEST_F(PlaneBaselineTest, RejectsAFileThatIsNotAMachineModel) {
  const QString file = folder.filePath(QStringLiteral("broken.json"));
  std::ofstream(file.toStdString()) << "{";
  EXPECT_TRUE(view.add_machine(file).contains(QStringLiteral("broken.json")));
  EXPECT_FALSE(view.add_machine(folder.filePath(QStringLiteral("none.json"))).isEmpty());
  EXPECT_TRUE(view.options().machines.empty());
}

TEST_F(PlaneBaselineTest, EveryPlaneShowsAnotherMachine) {
  const QString file = write_machine("Other");
  for (const PlaneKind kind : {PlaneKind::time, PlaneKind::complexity}) {
    PlaneView plane(kind, &selection);
    plane.resize(900, 500);
    plane.set_run(run);
    EXPECT_EQ(plane.add_machine(file), QString());
    const auto& lines = plane.scene().lines();
    EXPECT_TRUE(std::ranges::any_of(
        lines, [](const figure::PlaneLine& line) { return line.label.ends_with("(Other)"); }));
    plane.grab();
  }
}

TEST_F(PlaneBaselineTest, BaselineOfAnotherMachineAddsItsCeilings) {
  compare(earlier_run());
  const std::size_t own = scene().lines().size();
  analysis::RunAnalysis elsewhere = earlier_run();
  elsewhere.machine->device.name = "NVIDIA Elsewhere";
  compare(elsewhere);
  ASSERT_GT(scene().lines().size(), own);
  EXPECT_TRUE(scene().lines().back().label.ends_with("(Elsewhere)"));
}

}  // namespace
}  // namespace mansard::gui
