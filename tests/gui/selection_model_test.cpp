// SPDX-License-Identifier: Apache-2.0
// The shared filter of all views, its result, and the undo history.
#include "gui/models/selection_model.h"

#include <QSignalSpy>
#include <QTest>
#include <QThreadPool>
#include <atomic>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

std::shared_ptr<const OpenRun> opened() {
  static const auto run = prepare_run(*testing::training_run());
  return run;
}

std::size_t row_of(const OpenRun& run, const std::string& operation_class) {
  for (std::size_t i = 0; i < run.analysis.rows.size(); ++i) {
    if (run.analysis.rows[i].operation_class == operation_class) return i;
  }
  ADD_FAILURE() << operation_class;
  return 0;
}

TEST(ShownLaunches, WithoutAFilterAreAll) {
  const auto run = opened();
  const ShownLaunches shown = shown_launches(*run, {});
  EXPECT_TRUE(shown.all());
  EXPECT_EQ(shown.total_launches, static_cast<std::int64_t>(run->launches.size()));
  EXPECT_DOUBLE_EQ(shown.total_s, run->analysis.busy_s);
  double shares = 0;
  for (std::size_t i = 0; i < shown.launches.size(); ++i) shares += shown.share(i);
  EXPECT_NEAR(shares, 1, 1e-12);
}

TEST(ShownLaunches, WindowCutsCrossingLaunches) {
  const auto run = opened();
  const LaunchColumns& launches = run->launches;
  // From the middle of the third launch to the middle of the fourth.
  const auto middle = [&](std::size_t i) {
    return launches.start_ns[i] + (launches.end_ns[i] - launches.start_ns[i]) / 2;
  };
  ViewFilter filter;
  filter.window = figure::TimeSpan{middle(2), middle(3)};
  const ShownLaunches shown = shown_launches(*run, filter);
  EXPECT_EQ(shown.total_launches, 2);
  const std::int64_t gap_ns = launches.start_ns[3] - launches.end_ns[2];
  EXPECT_NEAR(shown.total_s * 1e9, static_cast<double>(middle(3) - middle(2) - gap_ns), 1e-3);
  EXPECT_EQ(std::accumulate(shown.passes.begin(), shown.passes.end(), 0), 2);
  EXPECT_TRUE(shown.passes[2] && shown.passes[3]);
}

// The sums of adjacent windows add up to the total time, wherever they are cut.
TEST(ShownLaunches, WindowsAddUp) {
  const auto run = opened();
  std::mt19937_64 random(1);
  const std::int64_t end_ns = run->launches.end_ns.back() + 1;
  std::vector<std::int64_t> cuts = {0, end_ns};
  for (int i = 0; i < 20; ++i) {
    cuts.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end_ns)));
  }
  std::ranges::sort(cuts);
  std::vector<double> time_s(run->analysis.rows.size());
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    ViewFilter filter;
    filter.window = figure::TimeSpan{cuts[i - 1], cuts[i]};
    const ShownLaunches shown = shown_launches(*run, filter);
    for (std::size_t row = 0; row < time_s.size(); ++row) time_s[row] += shown.time_s[row];
  }
  for (std::size_t row = 0; row < time_s.size(); ++row) {
    EXPECT_NEAR(time_s[row], run->analysis.rows[row].time_s, 1e-6) << row;
  }
}

TEST(ShownLaunches, RequireEveryPartOfTheFilter) {
  const auto run = opened();
  ViewFilter filter;
  filter.operation_class = QStringLiteral("gemm");
  filter.words = QStringLiteral("fp8");
  ShownLaunches shown = shown_launches(*run, filter);
  EXPECT_EQ(shown.total_launches, 192 + 64);
  filter.words = QStringLiteral("norm");
  EXPECT_EQ(shown_launches(*run, filter).total_launches, 0);
  filter = {};
  filter.range = QStringLiteral("attention");
  shown = shown_launches(*run, filter);
  EXPECT_EQ(shown.total_launches, 64);
  EXPECT_TRUE(shown.shows(row_of(*run, "attention")));
  filter.range = QStringLiteral("no such range");
  EXPECT_EQ(shown_launches(*run, filter).total_launches, 0);
  filter = {};
  filter.stream = run->launches.streams.front();
  EXPECT_EQ(shown_launches(*run, filter).total_launches,
            static_cast<std::int64_t>(run->launches.size()));
  filter.stream->stream_id += 1;
  EXPECT_EQ(shown_launches(*run, filter).total_launches, 0);
  filter = {};
  filter.device_id = 1;
  EXPECT_EQ(shown_launches(*run, filter).total_launches, 0);
  filter.device_id = 0;
  EXPECT_EQ(shown_launches(*run, filter).total_launches,
            static_cast<std::int64_t>(run->launches.size()));
}

class SelectionModelTest : public ::testing::Test {
 protected:
  SelectionModelTest() { model.set_run(opened()); }
  SelectionModel model;
};

TEST_F(SelectionModelTest, UndoRestoresEachStep) {
  EXPECT_FALSE(model.can_undo());
  model.select(3);
  model.set_operation_class(QStringLiteral("gemm"));
  model.select(1);
  model.undo();
  EXPECT_EQ(model.selected(), 3u);
  EXPECT_EQ(model.filter().operation_class, QStringLiteral("gemm"));
  model.undo();
  EXPECT_TRUE(model.filter().passes_all());
  EXPECT_EQ(model.shown()->total_launches, static_cast<std::int64_t>(opened()->launches.size()));
  model.undo();
  EXPECT_EQ(model.selected(), std::nullopt);
  EXPECT_FALSE(model.can_undo());
  while (model.can_redo()) model.redo();
  EXPECT_EQ(model.selected(), 1u);
  EXPECT_EQ(model.filter().operation_class, QStringLiteral("gemm"));
}

TEST_F(SelectionModelTest, BlanksDoNotFilter) {
  model.set_words(QStringLiteral("  "));
  EXPECT_TRUE(model.filter().passes_all());
  EXPECT_FALSE(model.can_undo());
  model.set_words(QStringLiteral("gemm "));
  EXPECT_EQ(model.filter().words, QStringLiteral("gemm "))
      << "a space before the next word is kept";
  model.set_words(QStringLiteral(" "));
  EXPECT_TRUE(model.filter().passes_all());
}

TEST_F(SelectionModelTest, APinnedViewFilters) {
  model.set_pinned(true);
  EXPECT_FALSE(model.state().pinned) << "no timeline";
  model.open_visible({0, 5000});
  EXPECT_FALSE(model.can_undo());
  model.set_visible({1000, 2000});
  EXPECT_TRUE(model.filter().passes_all());
  model.set_pinned(true);
  EXPECT_EQ(model.filter().window, (figure::TimeSpan{1000, 2000}));
  model.set_visible({2000, 3000});
  EXPECT_EQ(model.filter().window, (figure::TimeSpan{2000, 3000}));
  model.set_filter(without(model.filter(), FilterPart::Kind::window));
  EXPECT_FALSE(model.state().pinned) << "its button in the filter bar removes it";
  model.undo();
  EXPECT_TRUE(model.state().pinned);
  for (int i = 0; i < 3; ++i) model.undo();
  EXPECT_FALSE(model.state().pinned);
  EXPECT_EQ(model.state().visible, (figure::TimeSpan{0, 5000})) << "as opened";
  EXPECT_FALSE(model.can_undo());
}

TEST_F(SelectionModelTest, TypingAndZoomingAreOneStepEach) {
  for (const char* words : {"g", "ge", "gem", "gemm"}) model.set_words(QString::fromUtf8(words));
  for (int i = 1; i < 5; ++i) model.set_visible({i * 1000, 1'000'000});
  for (int i = 1; i < 5; ++i) model.set_words(QStringLiteral("gemm%1").arg(i));
  model.undo();
  EXPECT_EQ(model.filter().words, QStringLiteral("gemm"));
  EXPECT_EQ(model.state().visible, (figure::TimeSpan{4000, 1'000'000}));
  model.undo();
  EXPECT_EQ(model.state().visible, std::nullopt);
  model.undo();
  EXPECT_TRUE(model.filter().passes_all());
  EXPECT_FALSE(model.can_undo());
}

TEST_F(SelectionModelTest, NewStepDiscardsUndoneSteps) {
  model.select(1);
  model.select(2);
  model.undo();
  EXPECT_TRUE(model.can_redo());
  model.select(3);
  EXPECT_FALSE(model.can_redo());
  model.undo();
  EXPECT_EQ(model.selected(), 1u);
}

TEST_F(SelectionModelTest, SelectingALaunchSelectsItsRow) {
  const std::size_t launch = 200;
  model.select_launch(launch);
  EXPECT_EQ(model.selected(), opened()->launches.row[launch]);
  EXPECT_EQ(model.selected_launch(), launch);
  model.select(model.selected());
  EXPECT_EQ(model.selected_launch(), std::nullopt);
  model.select_launch(opened()->launches.size());  // index of another run
  EXPECT_EQ(model.selected_launch(), std::nullopt);
}

TEST_F(SelectionModelTest, AnotherRunResetsTheState) {
  model.select_launch(7);
  model.set_words(QStringLiteral("norm"));
  QSignalSpy shown(&model, &SelectionModel::shown_changed);
  model.set_run(nullptr);
  EXPECT_EQ(model.state(), ViewState());
  EXPECT_FALSE(model.can_undo());
  EXPECT_EQ(model.shown()->total_launches, 0);
  EXPECT_GE(shown.count(), 1);
}

// A random walk: undoing all steps restores the start, redoing all steps the end.
TEST_F(SelectionModelTest, UndoAndRedoAreExact) {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    switch (random() % 5) {
      case 0:
        model.select(random() % opened()->analysis.rows.size());
        break;
      case 1:
        model.set_words(QString::number(random() % 10));
        break;
      case 2:
        model.set_window(figure::TimeSpan{0, 1 + static_cast<std::int64_t>(random() % 1'000'000)});
        break;
      case 3:
        model.set_operation_class(QString::number(random() % 4));
        break;
      default:
        random() % 2 == 0 ? model.undo() : model.redo();
    }
  }
  while (model.can_redo()) model.redo();
  std::vector<ViewState> states = {model.state()};
  while (model.can_undo()) {
    model.undo();
    EXPECT_NE(model.state(), states.back());
    states.push_back(model.state());
  }
  EXPECT_EQ(model.state(), ViewState());
  for (auto state = states.rbegin() + 1; state != states.rend(); ++state) {
    model.redo();
    EXPECT_EQ(model.state(), *state);
  }
}

// Enough launches to be filtered in the background; the rows alternate.
std::shared_ptr<const OpenRun> large_run(std::size_t rows) {
  constexpr std::size_t kLaunches = 200'000;
  analysis::RunAnalysis analysis;
  analysis.rows.resize(rows);
  for (std::size_t i = 0; i < kLaunches; ++i) {
    store::KernelRecord kernel;
    kernel.start_ns = 10 * static_cast<std::int64_t>(i);
    kernel.end_ns = kernel.start_ns + 5;
    analysis.profile.kernels.push_back(kernel);
    analysis::KernelRow& row = analysis.rows[i % rows];
    row.operation_class = "gemm";
    row.launch_indices.push_back(i);
    ++row.launches;
    row.time_s += 5e-9;
  }
  auto run = std::make_shared<OpenRun>();
  run->analysis = std::move(analysis);
  run->launches = launch_columns(run->analysis);
  return run;
}

TEST(SelectionModelLarge, ShowsOnlyTheLastFilter) {
  const auto run = large_run(1);
  SelectionModel model;
  model.set_run(run);
  for (std::int64_t launches = 1; launches <= 50; ++launches) {
    model.set_window(figure::TimeSpan{0, 10 * launches});
  }
  EXPECT_TRUE(QTest::qWaitFor([&] { return !model.shown()->all(); }, 10000));
  QThreadPool::globalInstance()->waitForDone();
  QCoreApplication::processEvents();
  EXPECT_EQ(model.shown()->total_launches, 50);
  {  // destroyed while a filter is applied
    SelectionModel gone;
    gone.set_run(run);
    gone.set_window(figure::TimeSpan{0, 10});
  }
  QThreadPool::globalInstance()->waitForDone();
  QCoreApplication::processEvents();
}

// shown() has the rows of the new run from the first signal on, before its filter is applied.
TEST(SelectionModelLarge, ShowsNothingOfThePreviousRun) {
  SelectionModel model;
  model.set_run(large_run(1));
  model.set_window(figure::TimeSpan{0, 100});
  EXPECT_TRUE(QTest::qWaitFor([&] { return !model.shown()->all(); }, 10000));
  constexpr std::size_t kRows = 30;
  int heard = 0;
  QObject::connect(&model, &SelectionModel::run_changed, &model, [&] {
    ++heard;
    EXPECT_EQ(model.shown()->launches.size(), kRows);
    EXPECT_TRUE(model.shown()->all());
    EXPECT_NEAR(model.shown()->share(kRows - 1), 1.0 / kRows, 1e-3);
  });
  ViewState state;
  state.filter.window = figure::TimeSpan{0, 600};
  model.set_run(large_run(kRows), state);
  EXPECT_EQ(heard, 1);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !model.shown()->all(); }, 10000));
  EXPECT_EQ(model.shown()->total_launches, 60);
  EXPECT_EQ(model.shown()->share(kRows), 0) << "no such row";
}

TEST(SelectionModelLarge, SupersededFilterStops) {
  const std::atomic<bool> superseded = true;
  ViewFilter filter;
  filter.window = figure::TimeSpan{0, 10};
  const auto run = large_run(1);
  EXPECT_THROW(shown_launches(*run, filter, {.canceled = &superseded}), store::LoadCanceled);
  filter.range = QStringLiteral("step");
  EXPECT_THROW(shown_launches(*opened(), filter, {.canceled = &superseded}), store::LoadCanceled);
}

// Even if there are few launches.
TEST(SelectionModelLarge, FiltersByRangeInTheBackground) {
  analysis::RunAnalysis analysis = *testing::training_run();
  const std::int64_t end_ns = analysis.profile.nvtx.back().start_ns;
  std::vector<store::NvtxRecord>& ranges = analysis.profile.nvtx.records();
  for (std::int64_t i = 0; i < 100'000; ++i) {
    store::NvtxRecord& range = ranges.emplace_back();
    range.start_ns = end_ns + i;
    range.end_ns = range.start_ns + 1;
    range.text = "many";
  }
  auto run = std::make_shared<OpenRun>();
  run->analysis = std::move(analysis);
  run->launches = launch_columns(run->analysis);
  run->ranges = analysis::LaunchRanges(run->analysis.profile);
  SelectionModel model;
  model.set_run(run);
  ViewFilter filter;
  filter.range = QStringLiteral("attention");
  model.set_filter(filter);
  EXPECT_TRUE(model.shown()->all());
  EXPECT_TRUE(QTest::qWaitFor([&] { return !model.shown()->all(); }, 10000));
  EXPECT_EQ(model.shown()->total_launches, 64);
}

TEST(ViewFilter, DescribesAndRemovesItsParts) {
  ViewFilter filter;
  constexpr std::int64_t kZero_ns = 500'000;
  EXPECT_TRUE(parts_of(filter, kZero_ns).empty());
  filter.words = QStringLiteral("fp8");
  filter.operation_class = QStringLiteral("gemm");
  filter.device_id = 1;
  filter.stream = gui::StreamKey{1, 1, 7};
  filter.range = QStringLiteral("step 3");
  filter.window = figure::TimeSpan{2'000'000, 4'000'000};  // as recorded: 0.5 ms before time zero
  std::vector<FilterPart> parts = parts_of(filter, kZero_ns);
  ASSERT_EQ(parts.size(), 6u);
  EXPECT_EQ(parts[3].text, QStringLiteral("stream 7 of GPU 1"));
  EXPECT_EQ(parts[5].text, QStringLiteral("2.00 ms from 1.50 ms"));
  while (!parts.empty()) {
    filter = without(filter, parts.front().kind);
    EXPECT_EQ(parts_of(filter, kZero_ns).size(), parts.size() - 1);
    parts = parts_of(filter, kZero_ns);
  }
  EXPECT_TRUE(filter.passes_all());
}

}  // namespace
}  // namespace mansard::gui
