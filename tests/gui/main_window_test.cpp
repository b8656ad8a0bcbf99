// SPDX-License-Identifier: Apache-2.0
// The main window and its pages: linked views, several files, errors, dropped files.
#include "gui/views/main_window.h"

#include <QApplication>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolBar>
#include <QToolTip>
#include <QUrl>
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "gui/models/kernel_table_model.h"
#include "gui/views/details_view.h"
#include "gui/views/filter_bar.h"
#include "gui/views/notes_bar.h"
#include "gui/views/roofline_view.h"
#include "gui/views/run_page.h"
#include "gui/views/run_views.h"
#include "gui/views/theme.h"
#include "gui/views/timeline_view.h"
#include "tests/gui/fixture.h"
#include "tests/gui/timed_run.h"

namespace mansard::gui {
namespace {

analysis::RunAnalysis load_fixture(const std::filesystem::path& file,
                                   const std::vector<std::filesystem::path>& machines,
                                   const store::LoadControl&) {
  if (file.filename() == "bad.sqlite") throw std::runtime_error("bad.sqlite: not a database");
  if (file.stem() == "host") return testing::annotated_host_run()->analysis;
  if (file.stem() == "host_of_unknown_work") {
    analysis::RunAnalysis host = testing::annotated_host_run()->analysis;
    host.points.clear();
    return host;
  }
  analysis::RunAnalysis run = *testing::training_run();
  if (file.extension() == ".json") {
    run.profile = {};
    run.rows.clear();
    run.points.clear();
  }
  if (file.stem() == "unknown_work") {
    run.points.clear();
    for (analysis::KernelRow& row : run.rows) row.origin = analysis::WorkOrigin::none;
  }
  run.title = file.stem().string();
  run.notes = {"The recording was interrupted."};
  for (const auto& machine : machines) run.notes.push_back("with " + machine.string());
  return run;
}

class MainWindowTest : public ::testing::Test {
 protected:
  MainWindowTest() {
    window.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&window));
  }

  RunPage* open(const QStringList& files) {
    window.open(files);
    for (int i = 0; i < window.page_count(); ++i) {
      RunDocument* document = window.page(i)->document();
      EXPECT_TRUE(
          QTest::qWaitFor([&] { return document->state() != RunDocument::State::loading; }, 10000));
    }
    return window.current_page();
  }

  static QTableView* table(RunPage* page) {
    return page->view(QStringLiteral("kernels"))->findChild<QTableView*>();
  }
  static DetailsView* details(RunPage* page) {
    return qobject_cast<DetailsView*>(page->view(QStringLiteral("details")));
  }
  static QString selected_name(RunPage* page) {
    const QModelIndexList rows = table(page)->selectionModel()->selectedRows();
    return rows.isEmpty() ? QString() : rows.front().data().toString();
  }

  MainWindow window{{}, nullptr, load_fixture};
};

// Visible on the screen: not behind another tab.
bool is_seen(RunPage* page, const char* view) {
  return !page->view(QString::fromUtf8(view))->visibleRegion().isEmpty();
}

TEST_F(MainWindowTest, OpensOnTheStepAndTheTimeline) {
  RunPage* page = open({QStringLiteral("a.sqlite")});
  ASSERT_TRUE(QTest::qWaitFor([&] { return is_seen(page, "step_time"); }));
  EXPECT_TRUE(is_seen(page, "timeline"));
  EXPECT_FALSE(is_seen(page, "roofline"));
  // Each takes about half of the height.
  const int figure = page->view(QStringLiteral("step_time"))->height();
  const int timeline = page->view(QStringLiteral("timeline"))->height();
  EXPECT_LT(std::abs(figure - timeline), (figure + timeline) / 5) << figure << " " << timeline;
  // Without a selection, the details say what to do first, with a link to the kernel.
  const auto& answer = page->document()->open_run()->answer;
  ASSERT_TRUE(answer && !answer->first.empty());
  EXPECT_TRUE(details(page)->text().contains(QString::fromStdString(answer->first[0].title)));
}

// The plane that the user left in front has nothing to show for another run.
TEST_F(MainWindowTest, DoesNotOpenOnAnEmptyPlane) {
  RunPage* page = open({QStringLiteral("a.sqlite")});
  page->raise_view(QStringLiteral("roofline"));
  RunPage* other = open({QStringLiteral("unknown_work.sqlite")});
  ASSERT_TRUE(other->roofline()->scene().figure().points.empty());
  EXPECT_TRUE(QTest::qWaitFor([&] { return is_seen(other, "step_time"); }));
  EXPECT_FALSE(is_seen(other, "roofline"));
}

// A program without a GPU has no kernels, and so no step to show.
TEST_F(MainWindowTest, DoesNotOpenOnTheStepOfAProgramWithoutAGpu) {
  RunPage* page = open({QStringLiteral("host.sqlite")});
  ASSERT_FALSE(page->roofline()->scene().figure().points.empty());
  EXPECT_TRUE(QTest::qWaitFor([&] { return is_seen(page, "roofline"); }));
  EXPECT_TRUE(page->dock(QStringLiteral("step_time"))->isHidden());
  RunPage* unknown = open({QStringLiteral("host_of_unknown_work.sqlite")});
  ASSERT_TRUE(unknown->roofline()->scene().figure().points.empty());
  EXPECT_TRUE(QTest::qWaitFor([&] { return is_seen(unknown, "findings"); }));
  EXPECT_TRUE(unknown->dock(QStringLiteral("step_time"))->isHidden());
  // The next run with kernels has its step again.
  RunPage* other = open({QStringLiteral("a.sqlite")});
  EXPECT_TRUE(QTest::qWaitFor([&] { return is_seen(other, "step_time"); }));
}

TEST_F(MainWindowTest, AClickInTheFigureSelectsTheTablesRow) {
  RunPage* page = open({QStringLiteral("a.sqlite")});
  page->raise_view(QStringLiteral("roofline"));
  QApplication::processEvents();
  const PlaneScene& scene = page->roofline()->scene();
  ASSERT_FALSE(scene.layout().marks.empty());
  const figure::Mark& mark = scene.layout().marks.back();  // the smallest is on top
  QTest::mouseClick(
      page->roofline(), Qt::LeftButton, {},
      {static_cast<int>(std::lround(mark.center.x)), static_cast<int>(std::lround(mark.center.y))});
  const figure::PlanePoint& point = scene.figure().points[mark.point];
  EXPECT_EQ(selected_name(page), QString::fromStdString(point.label));
  EXPECT_TRUE(details(page)->text().contains(
      QString::fromStdString(page->document()->run()->rows[point.row].operation_class.name())));
}

TEST_F(MainWindowTest, AClickInTheTableSelectsThePoint) {
  RunPage* page = open({QStringLiteral("a.sqlite")});
  QTableView* view = table(page);
  view->sortByColumn(KernelTableModel::name, Qt::AscendingOrder);
  const QModelIndex index = view->model()->index(2, KernelTableModel::time);
  view->scrollTo(index);
  QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(index).center());
  ASSERT_TRUE(page->selection()->selected());
  const analysis::KernelRow& row = page->document()->run()->rows[*page->selection()->selected()];
  EXPECT_EQ(QString::fromStdString(row.short_name),
            view->model()->index(2, KernelTableModel::name).data().toString());
  ASSERT_TRUE(page->roofline()->scene().layout().selection);
}

TEST_F(MainWindowTest, TheKernelTableIsSortedByPotentialSaving) {
  RunPage* page = open({QStringLiteral("a.sqlite")});
  QTableView* view = table(page);
  EXPECT_EQ(view->horizontalHeader()->sortIndicatorSection(), KernelTableModel::saving);
  EXPECT_FALSE(view->isColumnHidden(KernelTableModel::saving));
  EXPECT_TRUE(view->isColumnHidden(KernelTableModel::step_saving)) << "no steps";
  const std::vector<analysis::KernelRow>& rows = page->document()->run()->rows;
  const auto largest = std::ranges::max_element(rows, {}, &analysis::KernelRow::saving_s);
  EXPECT_EQ(view->model()->index(0, KernelTableModel::name).data().toString().toStdString(),
            largest->short_name);
  // The order that the user chose stays when the profile is loaded again.
  view->sortByColumn(KernelTableModel::rate, Qt::AscendingOrder);
  page->document()->reload();
  EXPECT_TRUE(QTest::qWaitFor([&] { return !page->document()->reloading(); }, 10000));
  EXPECT_EQ(view->horizontalHeader()->sortIndicatorSection(), KernelTableModel::rate);
}

TEST_F(MainWindowTest, TheFilterFieldReachesEveryView) {
  RunPage* page = open({QStringLiteral("a.sqlite")});
  auto* field = page->filter()->findChild<QLineEdit*>();
  QTest::keyClicks(field, QStringLiteral("fp8 gemm"));
  EXPECT_EQ(table(page)->model()->rowCount(), 2);
  EXPECT_EQ(page->roofline()->scene().layout().marks.size(), 2u);
  page->selection()->set_filter({});
  EXPECT_TRUE(field->text().isEmpty());
  EXPECT_EQ(table(page)->model()->rowCount(), static_cast<int>(testing::training_kernels().size()));
}

TEST_F(MainWindowTest, RestoresASelectionThatWasFilteredOut) {
  RunPage* page = open({QStringLiteral("a.sqlite")});
  page->selection()->select(0);
  const QString name = selected_name(page);
  ASSERT_FALSE(name.isEmpty());
  page->selection()->set_words(QStringLiteral("norm"));
  EXPECT_TRUE(selected_name(page).isEmpty());
  EXPECT_EQ(page->selection()->selected(), 0u);
  page->selection()->set_filter({});
  EXPECT_EQ(selected_name(page), name);
}

TEST_F(MainWindowTest, TabsDescribeTheirViewsOnHover) {
  RunPage* page = open({QStringLiteral("run.sqlite")});
  std::size_t tabs = 0;
  for (QTabBar* bar : page->findChildren<QTabBar*>()) {
    for (int i = 0; i < bar->count(); ++i) {
      for (const RunViewSpec& spec : run_views()) {
        if (bar->tabText(i) != QString::fromUtf8(spec.title)) continue;
        const QPoint at = bar->tabRect(i).center();
        QHelpEvent hover(QEvent::ToolTip, at, bar->mapToGlobal(at));
        QApplication::sendEvent(bar, &hover);
        EXPECT_EQ(QToolTip::text(), QString::fromUtf8(spec.description)) << spec.name;
        ++tabs;
      }
    }
  }
  const auto hidden =
      std::count_if(run_views().begin(), run_views().end(), [](const RunViewSpec& s) {
        return s.needs == Needs::training;  // which this run has no record of
      });
  // The details are alone, and have no tab.
  EXPECT_GE(tabs, run_views().size() - static_cast<std::size_t>(hidden) - 1);
}

TEST_F(MainWindowTest, NotesAreShown) {
  RunPage* page = open({QStringLiteral("a.sqlite")});
  EXPECT_TRUE(page->notes()->isVisible());
  EXPECT_TRUE(page->notes()->text().contains(QStringLiteral("interrupted")));
}

TEST_F(MainWindowTest, InvalidFileShowsItsErrorAndKeepsTheOthers) {
  open({QStringLiteral("a.sqlite"), QStringLiteral("bad.sqlite")});
  ASSERT_EQ(window.page_count(), 2);
  EXPECT_TRUE(window.page(0)->message().isEmpty());
  EXPECT_TRUE(window.page(1)->message().contains(QStringLiteral("bad.sqlite: not a database")));
  EXPECT_TRUE(window.isVisible());
  EXPECT_EQ(window.current_page(), window.page(0));
}

TEST_F(MainWindowTest, AFileOpenedTwiceHasOneTab) {
  open({QStringLiteral("a.sqlite"), QStringLiteral("b.sqlite")});
  open({QStringLiteral("b.sqlite")});
  EXPECT_EQ(window.page_count(), 2);
  EXPECT_EQ(window.current_page()->document()->title(), QStringLiteral("b.sqlite"));
}

TEST_F(MainWindowTest, DetailsBelongToTheirPage) {
  open({QStringLiteral("a.sqlite"), QStringLiteral("b.sqlite")});
  const QString nothing = details(window.page(0))->text();
  EXPECT_FALSE(nothing.isEmpty());
  open({QStringLiteral("b.sqlite")});
  EXPECT_EQ(details(window.page(1))->text(), nothing);
  window.page(1)->selection()->select(0);
  EXPECT_NE(details(window.page(1))->text(), nothing);
  open({QStringLiteral("a.sqlite")});
  EXPECT_EQ(details(window.page(0))->text(), nothing);
}

TEST_F(MainWindowTest, MachineModelHidesTableAndDetails) {
  RunPage* run = open({QStringLiteral("a.sqlite")});
  EXPECT_TRUE(run->dock(QStringLiteral("kernels"))->isVisible());
  EXPECT_TRUE(run->dock(QStringLiteral("details"))->isVisible());
  RunPage* machine = open({QStringLiteral("machine.json")});
  EXPECT_FALSE(machine->dock(QStringLiteral("kernels"))->isVisible());
  EXPECT_FALSE(machine->dock(QStringLiteral("details"))->isVisible());
  EXPECT_FALSE(machine->roofline()->scene().figure().lines.empty());
}

TEST_F(MainWindowTest, UsingAMachineModelReloadsOpenRuns) {
  RunPage* page = open({QStringLiteral("a.sqlite")});
  page->selection()->select(2);
  window.add_machines({QStringLiteral("/m/h200.json")});
  EXPECT_TRUE(page->document()->reloading());
  EXPECT_TRUE(QTest::qWaitFor([&] { return !page->document()->reloading(); }, 10000));
  EXPECT_EQ(page->selection()->selected(), 2u);
  EXPECT_TRUE(page->notes()->notes().contains(QStringLiteral("with /m/h200.json")));
}

TEST_F(MainWindowTest, ReloadKeepsSelectionAndFilter) {
  RunPage* page = open({QStringLiteral("a.sqlite")});
  page->selection()->set_operation_class(QStringLiteral("attention"));
  page->selection()->select_launch(300);
  const ViewState before = page->selection()->state();
  ASSERT_TRUE(before.row);
  const auto first = page->document()->open_run();
  page->document()->reload();
  EXPECT_TRUE(QTest::qWaitFor([&] { return page->document()->open_run() != first; }, 10000));
  EXPECT_EQ(page->selection()->run(), page->document()->open_run());
  EXPECT_EQ(page->selection()->state(), before);
}

TEST_F(MainWindowTest, TheToolbarRunsTheMenusActions) {
  auto* bar = window.findChild<QToolBar*>(QStringLiteral("toolbar"));
  ASSERT_NE(bar, nullptr);
  ASSERT_TRUE(bar->isVisible());
  const auto action = [&](const char* name) {
    for (QAction* each : bar->actions()) {
      if (each->iconText() == QString::fromUtf8(name)) return each;
    }
    ADD_FAILURE() << name;
    return static_cast<QAction*>(nullptr);
  };
  for (const char* name : {"Open", "Reload", "Back", "Forward", "Fit step", "Search", "Export",
                           "Compare with...", "Theme"}) {
    ASSERT_NE(action(name), nullptr);
    EXPECT_FALSE(action(name)->icon().isNull()) << name;
    EXPECT_FALSE(action(name)->toolTip().isEmpty()) << name;
  }
  for (const char* name : {"Reload", "Back", "Fit step", "Export", "Compare with..."}) {
    EXPECT_FALSE(action(name)->isEnabled()) << name << " needs a page";
  }
  RunPage* page = open({QStringLiteral("a.sqlite")});
  auto* timeline = qobject_cast<TimelineView*>(page->view(QStringLiteral("timeline")));
  const figure::TimeSpan opened = timeline->scene().window();
  EXPECT_FALSE(action("Back")->isEnabled());
  page->selection()->select(1);
  ASSERT_TRUE(action("Back")->isEnabled());
  action("Back")->trigger();
  EXPECT_EQ(page->selection()->selected(), std::nullopt);
  action("Forward")->trigger();
  EXPECT_EQ(page->selection()->selected(), 1u);
  timeline->show_everything();
  action("Fit step")->trigger();
  EXPECT_EQ(timeline->scene().window(), opened);
  const QList<QAction*> themes = action("Theme")->menu()->actions();
  ASSERT_EQ(themes.size(), 3);
  themes[1]->trigger();
  EXPECT_EQ(theme_of(qApp->palette()), figure::Theme::dark);
  themes[0]->trigger();
  EXPECT_EQ(theme_of(qApp->palette()), figure::Theme::light);
}

TEST_F(MainWindowTest, DroppedFilesOpen) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(QStringLiteral("/tmp/x.sqlite")),
                QUrl(QStringLiteral("https://example.org/y.sqlite"))});
  QDragEnterEvent enter({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(&window, &enter);
  EXPECT_TRUE(enter.isAccepted());
  QDropEvent drop({50, 50}, Qt::CopyAction, &data, Qt::LeftButton, {});
  QApplication::sendEvent(&window, &drop);
  ASSERT_EQ(window.page_count(), 1);
  EXPECT_EQ(window.page(0)->document()->file(), QStringLiteral("/tmp/x.sqlite"));
}

TEST_F(MainWindowTest, ClosingTheLastTabShowsTheWelcomePage) {
  open({QStringLiteral("a.sqlite")});
  window.activateWindow();  // shortcuts go to the active window
  ASSERT_TRUE(QTest::qWaitForWindowActive(&window));
  QTest::keyClick(&window, Qt::Key_W, Qt::ControlModifier);
  EXPECT_EQ(window.page_count(), 0);
  EXPECT_EQ(window.current_page(), nullptr);
  EXPECT_EQ(window.windowTitle(), QStringLiteral("Mansard"));
}

}  // namespace
}  // namespace mansard::gui
