// SPDX-License-Identifier: Apache-2.0
#include "gui/views/flame_view.h"

#include <QTest>
#include <algorithm>

#include <gtest/gtest.h>

#include "analyzer/range_kinds.h"
#include "gui/models/carried_state.h"
#include "gui/views/run_views.h"
#include "tests/gui/examples.h"
#include "tests/gui/timed_run.h"

namespace mansard::gui {
namespace {

// Three steps: in each, "forward" with "layer 1" and "layer 2", and one kernel outside of ranges.
// The second step takes much longer, so that it is not typical. Times in us.
std::shared_ptr<const OpenRun> nested_ranges() {
  test::ProfileBuilder builder;
  std::int64_t start = 0;
  for (int step = 0; step < 8; ++step) {
    const std::int64_t scale = step == 1 ? 3 : 1;
    const auto at = [&](std::int64_t us) { return start + 1000 * scale * us; };
    builder.range(at(0), at(1000), ("step " + std::to_string(step)).c_str());
    builder.range(at(10), at(500), "forward");
    builder.range(at(20), at(100), "layer 1").range(at(110), at(200), "layer 2");
    builder.launch(at(30), at(100), at(200), "my_gemm");
    builder.launch(at(120), at(210), at(310), "my_gemm");
    builder.launch(at(300), at(320), at(520), "rmsnorm_kernel");
    builder.launch(at(600), at(700), at(800), "vectorized_elementwise_kernel");
    start = at(1000);
  }
  return testing::prepared(builder);
}

class FlameViewTest : public ::testing::Test {
 protected:
  void show(std::shared_ptr<const OpenRun> opened) {
    run = std::move(opened);
    selection.set_run(run);
    view.resize(900, 400);
    view.set_run(run);
    view.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
    ASSERT_TRUE(QTest::qWaitFor([&] { return view.tree() != nullptr; }, 10'000));
  }
  std::size_t path(const std::string& text) const {
    for (std::size_t i = 0; i < view.tree()->paths.size(); ++i) {
      if (figure::path_text(*view.tree(), i) == text) return i;
    }
    ADD_FAILURE() << text;
    return 0;
  }
  QPoint on(std::size_t path) const {
    for (const figure::FlameBox& box : view.graph().boxes) {
      if (box.path == path) {
        return {static_cast<int>((box.rect.left + box.rect.right) / 2),
                static_cast<int>((box.rect.top + box.rect.bottom) / 2)};
      }
    }
    ADD_FAILURE() << path;
    return {};
  }

  std::shared_ptr<const OpenRun> run;
  SelectionModel selection;
  FlameView view{&selection};
};

TEST_F(FlameViewTest, HasTheTimesOfTypicalSteps) {
  show(nested_ranges());
  const analysis::RangeTree& tree = *view.tree();
  ASSERT_TRUE(tree.by_step);
  ASSERT_EQ(tree.paths.size(), 3u) << "the root, forward, layer #";
  const analysis::RangePath& forward = tree.paths[path("forward")];
  const analysis::RangePath& layer = tree.paths[path("forward \u203a layer #")];
  EXPECT_NEAR(tree.paths[0].time_s, 500e-6, 1e-12);
  EXPECT_NEAR(forward.time_s, 400e-6, 1e-12) << "the long step does not count";
  EXPECT_NEAR(forward.self_s, 200e-6, 1e-12);
  EXPECT_NEAR(layer.time_s, 200e-6, 1e-12);
  EXPECT_NEAR(layer.kernels, 2, 1e-12);
  EXPECT_NEAR(tree.paths[0].self_s, 100e-6, 1e-12);
}

TEST_F(FlameViewTest, AgreesWithTheAnalysisOfRanges) {
  show(testing::example_run("pretraining/train_fp8.sqlite"));
  const analysis::RangeTree& tree = *view.tree();
  std::map<std::string, double> by_name;
  for (const analysis::RangePath& path : tree.paths) by_name[path.name] += path.time_s;
  std::size_t compared = 0;
  for (const analysis::RangeKind& kind : analysis::range_kinds(run->analysis).kinds) {
    const auto found = by_name.find(kind.name);
    if (found == by_name.end() || !(kind.step_time_s > 0)) continue;
    ++compared;
    EXPECT_NEAR(found->second, kind.step_time_s, 1e-9 * kind.step_time_s) << kind.name;
  }
  EXPECT_GT(compared, 3u);
  // Parts add up to the whole.
  std::vector<double> inside(tree.paths.size());
  for (std::size_t i = 1; i < tree.paths.size(); ++i)
    inside[tree.paths[i].parent] += tree.paths[i].time_s;
  double saving_s = 0;
  for (std::size_t i = 0; i < tree.paths.size(); ++i) {
    EXPECT_NEAR(tree.paths[i].time_s, tree.paths[i].self_s + inside[i], 1e-9);
  }
  for (const analysis::KernelRow& row : run->analysis.rows) {
    if (row.kind == analysis::RowKind::kernel) saving_s += row.saving_s;
  }
  EXPECT_NEAR(tree.paths[0].saving_s, saving_s, 1e-3 * saving_s);
}

TEST_F(FlameViewTest, AClickFiltersAndADoubleClickZooms) {
  show(nested_ranges());
  const std::size_t layer = path("forward \u203a layer #");
  QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, on(layer));
  EXPECT_EQ(selection.filter().range, QStringLiteral("layer #"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return selection.shown()->total_launches == 16; }, 5000))
      << "two layers in each of eight steps";
  view.grab();
  QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, on(layer));
  EXPECT_TRUE(selection.filter().range.isEmpty());
  QTest::mouseClick(view.canvas(), Qt::LeftButton, {}, on(layer));
  QTest::mouseDClick(view.canvas(), Qt::LeftButton, {}, on(layer));
  EXPECT_EQ(view.root(), layer);
  EXPECT_TRUE(selection.filter().range.isEmpty()) << "a double click does not filter";
  QTest::mouseDClick(view.canvas(), Qt::LeftButton, {}, on(0));
  EXPECT_EQ(view.root(), 0u);
  view.show_path(layer);
  QTest::keyClick(&view, Qt::Key_0);
  EXPECT_EQ(view.root(), 0u);
}

TEST_F(FlameViewTest, ExportsItsPaths) {
  show(nested_ranges());
  const std::vector<analysis::Table> tables = view.tables();
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].rows.size(), 3u);
  EXPECT_TRUE(view.message().isEmpty());
  EXPECT_FALSE(view.grab().isNull());
}

TEST_F(FlameViewTest, SaysThatThereAreNoRanges) {
  show(testing::one_kernel_run(7));
  EXPECT_TRUE(view.message().contains(QStringLiteral("No kernel")));
  EXPECT_TRUE(view.tables().empty());
}

TEST(RangeFilter, MatchesNamesAndKinds) {
  ViewFilter filter;
  EXPECT_FALSE(matches_range(filter, "layers.3"));
  filter.range = QStringLiteral("layers.#");
  EXPECT_TRUE(matches_range(filter, "layers.3"));
  EXPECT_TRUE(matches_range(filter, "layers.#"));
  EXPECT_FALSE(matches_range(filter, "layers.3.qkv"));
  filter.range = QStringLiteral("layers.3");
  EXPECT_FALSE(matches_range(filter, "layers.4"));
}

}  // namespace
}  // namespace mansard::gui
