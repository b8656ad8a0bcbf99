// SPDX-License-Identifier: Apache-2.0
// A plane whose run is replaced: by the same file again, or by another file.
#include <QTest>

#include <gtest/gtest.h>

#include "gui/views/plane_view.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

class PlaneReloadTest : public ::testing::Test {
 protected:
  PlaneReloadTest() {
    view.resize(1000, 600);
    view.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view));
  }
  void open(analysis::RunAnalysis analysis) {
    run = prepare_run(std::move(analysis));
    selection.set_run(run);
    view.set_run(run);
  }
  const PlaneScene& scene() const { return view.scene(); }

  std::shared_ptr<const OpenRun> run;
  SelectionModel selection;
  PlaneView view{PlaneKind::roofline, &selection};
};

TEST_F(PlaneReloadTest, ReloadKeepsTheZoom) {
  analysis::RunAnalysis analysis = *testing::training_run();
  analysis.profile.file = "a.sqlite";
  open(analysis);
  const double whole = scene().x().min();
  QTest::keyClick(&view, Qt::Key_Plus);
  const double zoomed = scene().x().min();
  ASSERT_GT(zoomed, whole);
  const auto load = [&](const char* file) {
    analysis.profile.file = file;
    open(analysis);
  };
  load("a.sqlite");
  EXPECT_DOUBLE_EQ(scene().x().min(), zoomed);
  view.set_run(nullptr);
  load("a.sqlite");
  EXPECT_DOUBLE_EQ(scene().x().min(), zoomed);
  // A hidden view (behind another tab) is updated when it is shown.
  view.hide();
  load("a.sqlite");
  view.show();
  EXPECT_DOUBLE_EQ(scene().x().min(), zoomed);
  EXPECT_EQ(scene().run(), &run->analysis);
  load("b.sqlite");
  EXPECT_DOUBLE_EQ(scene().x().min(), whole);
}

// A view may paint before the shared selection is updated, and vice versa.
TEST_F(PlaneReloadTest, AcceptsASelectionOfAnotherRun) {
  open(*testing::training_run());
  analysis::RunAnalysis less = *testing::training_run();
  less.rows.resize(1);
  std::erase_if(less.points, [](const analysis::RooflinePoint& p) { return p.row >= 1; });
  const auto small = prepare_run(less);
  selection.set_run(small);
  EXPECT_FALSE(view.grab().isNull());
  EXPECT_DOUBLE_EQ(scene().radius_of(run->analysis.rows.size() + 5), figure::mark_radius(0));
  view.set_run(small);
  EXPECT_FALSE(view.grab().isNull());
}

}  // namespace
}  // namespace mansard::gui
