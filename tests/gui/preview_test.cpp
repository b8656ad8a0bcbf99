// SPDX-License-Identifier: Apache-2.0
// First look: a large run is shown before its launches are prepared.
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <utility>

#include <gtest/gtest.h>

#include "gui/models/shown_launches.h"
#include "gui/views/filter_bar.h"
#include "gui/views/main_window.h"
#include "gui/views/plane_view.h"
#include "gui/views/roofline_view.h"
#include "gui/views/run_page.h"
#include "gui/views/run_view.h"
#include "gui/views/run_views.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

constexpr std::size_t kKernels = 300'000;

// The training run, repeated.
analysis::RunAnalysis large_run(const std::filesystem::path& file) {
  store::Profile profile = testing::training_profile();
  profile.file = file;
  std::vector<store::KernelRecord> kernels;
  const auto once = profile.kernels.size();
  const std::int64_t length_ns = profile.kernels[once - 1].end_ns + 1000;
  for (std::size_t i = 0; i < kKernels; ++i) {
    store::KernelRecord kernel = profile.kernels[i % once];
    const auto round = static_cast<std::int64_t>(i / once);
    kernel.start_ns += round * length_ns;
    kernel.end_ns += round * length_ns;
    if (round > 0) kernel.correlation_id = 0;
    kernels.push_back(kernel);
  }
  profile.kernels = kernels;
  return analysis::analyze_run(std::move(profile), {testing::h200()});
}

const analysis::RunAnalysis& large() {
  static const analysis::RunAnalysis run = large_run("large.sqlite");
  return run;
}

struct States {
  int previews = 0;
  int wholes = 0;
};

States open_and_wait(RunDocument& document) {
  States seen;
  QObject::connect(&document, &RunDocument::changed, &document, [&] {
    if (document.preview()) ++seen.previews;
    if (document.open_run()) ++seen.wholes;
    EXPECT_FALSE(document.preview() && document.open_run());
  });
  document.open(QStringLiteral("large.sqlite"), {});
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return document.state() != RunDocument::State::loading; }, 30'000));
  document.disconnect();
  return seen;
}

TEST(FirstLook, HasTheRowsAndPointsOfTheRun) {
  RunDocument document(nullptr, [](const auto&, const auto&, const auto&) { return large(); });
  std::shared_ptr<const OpenRun> look;
  QObject::connect(&document, &RunDocument::changed, &document, [&] {
    if (document.preview()) look = document.preview();
  });
  const States seen = open_and_wait(document);
  EXPECT_EQ(seen.previews, 1);
  EXPECT_EQ(seen.wholes, 1);
  ASSERT_NE(look, nullptr);
  const analysis::RunAnalysis& run = document.open_run()->analysis;
  EXPECT_TRUE(same_recording(look.get(), document.open_run().get()));
  ASSERT_EQ(look->analysis.rows.size(), run.rows.size());
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    EXPECT_EQ(look->analysis.rows[i].name, run.rows[i].name);
    EXPECT_EQ(look->analysis.rows[i].time_s, run.rows[i].time_s);
    EXPECT_TRUE(look->analysis.rows[i].launch_indices.empty());
  }
  EXPECT_EQ(look->analysis.points.size(), run.points.size());
  EXPECT_EQ(look->analysis.notes, run.notes);
  EXPECT_EQ(look->analysis.span_s, run.span_s);
  EXPECT_EQ(look->launches.size(), 0u);
}

TEST(FirstLook, SmallRunsHaveNone) {
  RunDocument document(
      nullptr, [](const auto&, const auto&, const auto&) { return *testing::training_run(); });
  EXPECT_EQ(open_and_wait(document).previews, 0);
}

TEST(FirstLook, ReloadKeepsTheWholeRunInstead) {
  RunDocument document(nullptr, [](const auto&, const auto&, const auto&) { return large(); });
  EXPECT_EQ(open_and_wait(document).previews, 1);
  int previews = 0;
  QObject::connect(&document, &RunDocument::changed, &document, [&] {
    if (document.preview()) ++previews;
    EXPECT_NE(document.open_run(), nullptr);
  });
  document.reload();
  EXPECT_TRUE(QTest::qWaitFor([&] { return !document.reloading(); }, 30'000));
  EXPECT_EQ(previews, 0);
}

TEST(FirstLook, EndsWithItsLoad) {
  bool looked = false;
  RunDocument document(nullptr, [](const auto&, const auto&, const auto&) { return large(); });
  QObject::connect(&document, &RunDocument::changed, &document, [&] {
    if (!document.preview()) return;
    looked = true;
    document.cancel();
  });
  open_and_wait(document);
  EXPECT_TRUE(looked);
  EXPECT_EQ(document.state(), RunDocument::State::canceled);
  EXPECT_EQ(document.preview(), nullptr);
  EXPECT_EQ(document.open_run(), nullptr);
}

TEST(FirstLook, StaysDuringAReload) {
  RunDocument document(nullptr, [](const auto&, const auto&, const auto&) { return large(); });
  bool again = false;
  QObject::connect(&document, &RunDocument::changed, &document, [&] {
    if (!document.preview() || std::exchange(again, true)) return;
    document.reload();
    EXPECT_NE(document.preview(), nullptr);
    document.open(QStringLiteral("large.sqlite"), {QStringLiteral("other.json")});
    EXPECT_NE(document.preview(), nullptr);
  });
  open_and_wait(document);
  EXPECT_TRUE(again);
  EXPECT_EQ(document.state(), RunDocument::State::ready);
  EXPECT_EQ(document.preview(), nullptr);
}

TEST(FirstLook, IsFilteredByItsRows) {
  const auto look = preview(large());
  const auto whole = prepare_run(large());
  ViewFilter filter;
  filter.operation_class = QStringLiteral("gemm");
  const ShownLaunches of_look = shown_launches(*look, filter);
  const ShownLaunches of_whole = shown_launches(*whole, filter);
  EXPECT_EQ(of_look.launches, of_whole.launches);
  EXPECT_EQ(of_look.total_launches, of_whole.total_launches);
  EXPECT_GT(of_look.total_launches, 0);
  EXPECT_LT(of_look.total_launches, static_cast<std::int64_t>(kKernels));
  EXPECT_NEAR(of_look.total_s, of_whole.total_s, 1e-9 * of_whole.total_s);
}

TEST(FirstLook, PlanesSayThatLaunchesAreLoading) {
  const auto look = preview(large());
  SelectionModel selection;
  PlaneView view(PlaneKind::time, &selection);
  PlaneOptions options;
  options.marks = PlaneMarks::launches;
  view.set_options(options);
  view.resize(800, 500);
  selection.set_run(look);
  view.set_run(look);
  const QImage waiting = view.grab().toImage();
  EXPECT_TRUE(view.tables().empty()) << "launch counts would be missing";
  const auto none = prepare_run(look->analysis);  // rows without known launches
  selection.set_run(none);
  view.set_run(none);
  EXPECT_NE(view.grab().toImage(), waiting) << "it says so";
  EXPECT_FALSE(view.tables().empty());
}

class FirstLookPage : public ::testing::Test {
 protected:
  QTemporaryDir folder;
  QSettings settings{folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat};
  MainWindow window{{}, &settings, [](const auto&, const auto&, const auto&) { return large(); }};
};

// User input during the first look; selection and position are kept.
TEST_F(FirstLookPage, IsUsableBeforeTheLaunchesAreLoaded) {
  window.resize(1200, 800);
  window.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
  large();  // before the window waits
  window.open({QStringLiteral("large.sqlite")});
  RunPage* page = window.page_of(QStringLiteral("large.sqlite"));
  RunDocument* document = page->document();

  bool looked = false;
  double left = 0;
  QObject::connect(document, &RunDocument::changed, page, [&] {
    if (!document->preview()) return;
    looked = true;
    EXPECT_TRUE(page->message().isEmpty());
    EXPECT_FALSE(page->filter()->isEnabled());
    EXPECT_FALSE(page->roofline()->scene().figure().points.empty());
    for (const RunViewSpec& spec : run_views()) {
      page->raise_view(QString::fromUtf8(spec.name));
      RunView* view = page->view(QString::fromUtf8(spec.name));
      QTest::mouseClick(view, Qt::LeftButton, {}, {60, 60});
      QTest::keyClick(view, Qt::Key_Plus);
      view->tables();
    }
    for (const RunViewSpec& spec : run_views()) {
      if (spec.needs != Needs::launches) continue;
      const auto* view = page->view(QString::fromUtf8(spec.name));
      EXPECT_TRUE(view->tables().empty()) << spec.name;
    }
    page->selection()->hover(1);
    page->selection()->select(2);
    page->roofline()->show_everything();
    QTest::keyClick(page->roofline(), Qt::Key_Plus);
    left = page->roofline()->scene().x().min();
  });
  ASSERT_TRUE(QTest::qWaitFor([&] { return document->open_run() != nullptr; }, 30'000));
  EXPECT_TRUE(looked);
  EXPECT_TRUE(page->filter()->isEnabled());
  EXPECT_EQ(page->selection()->selected(), std::optional<std::size_t>(2));
  EXPECT_EQ(page->roofline()->scene().x().min(), left);
  EXPECT_FALSE(page->view(QStringLiteral("timeline"))->tables().empty());
}

}  // namespace
}  // namespace mansard::gui
