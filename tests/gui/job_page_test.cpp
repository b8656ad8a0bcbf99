// SPDX-License-Identifier: Apache-2.0
// The tab of a job: which files are one, its views, incomplete jobs, and many ranks.
#include "gui/views/job_page.h"

#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include <gtest/gtest.h>

#include "analyzer/ranks/collect_summaries.h"
#include "analyzer/ranks/rank_files.h"
#include "analyzer/ranks/ranks_finding.h"
#include "analyzer/ranks/summary_file.h"
#include "gui/models/open_job.h"
#include "gui/views/chart_view.h"
#include "gui/views/goodput_fields.h"
#include "gui/views/goodput_panel.h"
#include "gui/views/goodput_view.h"
#include "gui/views/job_tables.h"
#include "gui/views/main_window.h"
#include "gui/views/notes_bar.h"
#include "gui/views/rank_bars.h"
#include "gui/views/ranks_view.h"
#include "gui/views/run_page.h"
#include "gui/views/skew_map.h"
#include "gui/views/tab_sides.h"
#include "tests/analyzer/ranks/rank_profiles.h"
#include "tests/support/scratch.h"

namespace mansard::gui {
namespace {

namespace fs = std::filesystem;
using test::JobScenario;
using test::SyntheticJob;

JobScenario small_job(int ranks) {
  JobScenario scenario;
  scenario.ranks = ranks;
  scenario.steps = 10;
  scenario.collectives = 2;
  scenario.segment_kernels = 4;
  scenario.api_calls = false;
  scenario.world_size = ranks;
  return scenario;
}

QString text(const fs::path& file) { return QString::fromStdString(file.string()); }

QStringList texts(const std::vector<fs::path>& files) {
  QStringList list;
  for (const fs::path& file : files) list << text(file);
  return list;
}

class JobPageTest : public ::testing::Test {
 protected:
  // Opens the arguments and waits for the job.
  JobPage* open(const QStringList& arguments) {
    window.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&window));
    window.open_arguments(arguments);
    JobPage* page = window.current_job();
    if (page == nullptr) return nullptr;
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return page->document()->state() != Document::State::loading; }, 30000));
    return page;
  }
  QString pattern() const { return text(scratch / "run-*.sqlite"); }

  test::Scratch scratch;
  MainWindow window{{}};
};

TEST_F(JobPageTest, NamesTheSlowRankAndOpensItsProfile) {
  JobScenario scenario = small_job(6);
  scenario.variations[3].slow_gemms = 0.5;
  SyntheticJob(scenario).write_all(scratch.folder());
  JobPage* page = open({pattern()});
  ASSERT_NE(page, nullptr);
  EXPECT_TRUE(page->summary().contains(QStringLiteral("Rank 3 (node-0, GPU 0) holds the job up")))
      << page->summary().toStdString();
  EXPECT_TRUE(page->ranks()->advice().startsWith(QStringLiteral("1. Save up to")));
  EXPECT_EQ(window.page_count(), 0);
  EXPECT_EQ(page->current_view(), page->ranks());

  const analysis::Table& bars = page->ranks()->bars()->table();
  ASSERT_EQ(bars.rows.size(), 6U);
  EXPECT_EQ(std::get<std::int64_t>(bars.rows[0][0]), 3);
  page->ranks()->order()->setCurrentIndex(1);
  EXPECT_EQ(std::get<std::int64_t>(bars.rows[0][0]), 0);
  EXPECT_EQ(std::get<std::int64_t>(bars.rows[3][0]), 3);

  // A click on the third bar, which is rank 2 now.
  Q_EMIT page->ranks()->bars()->chart()->row_clicked(2);
  ASSERT_EQ(window.page_count(), 1);
  RunPage* rank = window.page(0);
  EXPECT_EQ(rank->document()->title(), QStringLiteral("run-2.sqlite"));
  EXPECT_EQ(window.current_page(), rank);
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return rank->document()->state() == Document::State::ready; }, 30000));
  auto* goodput = qobject_cast<GoodputView*>(rank->view(QStringLiteral("goodput")));
  rank->raise_view(QStringLiteral("goodput"));
  QApplication::processEvents();
  EXPECT_EQ(goodput->panel()->fields()->field("GPUs")->value(), 6);
  EXPECT_EQ(goodput->panel()->fields()->source("GPUs"), QStringLiteral("measured"));
}

TEST_F(JobPageTest, PartsOfEachBarAddUpToTheStep) {
  SyntheticJob(small_job(3)).write_all(scratch.folder());
  JobPage* page = open({pattern()});
  ASSERT_NE(page, nullptr);
  const analysis::Table& bars = page->ranks()->bars()->table();
  for (const auto& row : bars.rows) {
    double sum_s = 0;
    for (std::size_t i = 5; i < row.size(); ++i) sum_s += std::get<double>(row[i]);
    EXPECT_NEAR(sum_s, std::get<double>(row[3]), 1e-9);
  }
}

TEST_F(JobPageTest, ShowsWhatIsMissingOrUnequal) {
  JobScenario scenario = small_job(8);
  scenario.variations[5].steps = 6;
  scenario.variations[5].complete = false;
  SyntheticJob(scenario).write_all(scratch.folder());
  fs::remove(scratch / "run-2.sqlite");
  std::ofstream(scratch / "run-6.sqlite") << "not a database";
  JobPage* page = open({pattern()});
  ASSERT_NE(page, nullptr);
  ASSERT_EQ(page->document()->state(), Document::State::ready);
  const auto& problems = page->document()->job()->ranks.problems;
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_TRUE(page->ranks()->problems()->text().contains(QStringLiteral("run-6.sqlite")));
  const std::vector<analysis::Table> tables = page->ranks()->tables();
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[1].rows.size(), 3U);
  // The interrupted rank has no value in the last steps.
  const analysis::StepGrid& grid = page->document()->job()->grids.back();
  EXPECT_TRUE(std::isnan(grid.at(4, grid.steps.size() - 1)));
}

TEST_F(JobPageTest, FilesOfDifferentRanksAreAJobAndOthersTabs) {
  const auto ranks = SyntheticJob(small_job(2)).write_all(scratch.folder());
  const auto is_job = [](const std::vector<fs::path>& files) {
    std::vector<std::string> names;
    for (const fs::path& file : files) names.push_back(file.string());
    return are_job(names);
  };
  fs::create_directory(scratch / "again");
  fs::copy_file(ranks[0], scratch / "again/run-0.sqlite");
  EXPECT_TRUE(is_job(ranks));
  EXPECT_TRUE(is_job({scratch.folder()}));
  EXPECT_FALSE(is_job({ranks[0]}));
  EXPECT_FALSE(is_job({ranks[0], scratch / "again/run-0.sqlite"})) << "two runs of one rank";
  EXPECT_FALSE(is_job({ranks[0], scratch / "missing.sqlite"}));

  window.open_arguments(texts({ranks[0], scratch / "again/run-0.sqlite"}));
  EXPECT_EQ(window.page_count(), 2);
  EXPECT_EQ(window.current_job(), nullptr);
  window.open(texts(ranks));
  EXPECT_TRUE(window.jobs().empty()) << "--tabs";
}

TEST_F(JobPageTest, ReportsFilesThatAreNotAJob) {
  JobPage* page = open({pattern()});
  ASSERT_NE(page, nullptr);
  EXPECT_EQ(page->document()->state(), Document::State::failed);
  EXPECT_TRUE(page->message().contains(QStringLiteral("no file matches"))) << "pattern";
  fs::create_directory(scratch / "empty");
  page = open({text(scratch / "empty")});
  ASSERT_NE(page, nullptr);
  EXPECT_TRUE(page->message().contains(QStringLiteral("neither summaries")));
  EXPECT_EQ(page->current_view(), nullptr);
}

// Summaries without profiles: nothing to open, which is said.
TEST_F(JobPageTest, OpensAFolderOfSummariesWithoutProfiles) {
  const auto files = SyntheticJob(small_job(4)).write_all(scratch.folder());
  analysis::SummaryOptions options;
  options.folder = scratch / "summaries";
  fs::create_directory(options.folder);
  ASSERT_EQ(analysis::collect_summaries(files, options).written, 4U);
  for (const fs::path& file : files) fs::remove(file);
  JobPage* page = open({text(options.folder)});
  ASSERT_NE(page, nullptr);
  ASSERT_EQ(page->document()->state(), Document::State::ready) << page->message().toStdString();
  EXPECT_EQ(page->document()->job()->ranks.ranks.size(), 4U);
  const QSignalSpy missing(page, &JobPage::profile_missing);
  Q_EMIT page->ranks()->rank_clicked(1);
  EXPECT_EQ(missing.size(), 1);
  EXPECT_EQ(window.page_count(), 0);
}

TEST_F(JobPageTest, ClosesExportsAndRestores) {
  SyntheticJob(small_job(3)).write_all(scratch.folder());
  QTemporaryDir folder;
  QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
  {
    MainWindow first({}, &settings);
    first.open_arguments({pattern()});
    JobPage* page = first.current_job();
    ASSERT_NE(page, nullptr);
    ASSERT_TRUE(QTest::qWaitFor([&] { return page->document()->state() == Document::State::ready; },
                                30000));
    for (const char* name : {"ranks.svg", "ranks.png", "ranks.csv"}) {
      EXPECT_TRUE(first.export_current_view(folder.filePath(QString::fromUtf8(name)))) << name;
    }
    page->raise_view(QStringLiteral("tables"));
    EXPECT_EQ(page->current_view(), page->tables());
    EXPECT_GE(page->tables()->tabs()->count(), 5);
    first.close();
  }
  MainWindow second({}, &settings);
  second.restore_session();
  ASSERT_EQ(second.jobs().size(), 1U);
  EXPECT_EQ(second.jobs().front()->document()->files(), QStringList{pattern()});
  Q_EMIT second.sides()->close_requested(second.jobs().front());
  EXPECT_TRUE(second.jobs().empty());
}

// The summaries of 1,000 ranks, of which two were made from profiles.
std::shared_ptr<const OpenJob> thousand_ranks() {
  const test::Scratch scratch;
  JobScenario scenario = small_job(2);
  scenario.variations[1].slow_gemms = 0.5;
  scenario.world_size = 1000;
  const auto files = SyntheticJob(scenario).write_all(scratch.folder());
  std::vector<analysis::RankSource> made = analysis::collect_summaries(files, {}).sources;
  std::vector<analysis::RankSource> sources;
  for (int rank = 0; rank < 1000; ++rank) {
    analysis::RankSource source = made[rank == 617 ? 1 : 0];
    source.summary->rank = rank;
    source.summary->pid = rank;
    source.summary->host = "node-" + std::to_string(rank / 8);
    sources.push_back(std::move(source));
  }
  auto job = std::make_shared<OpenJob>();
  job->ranks = analysis::compare_ranks(std::move(sources));
  job->findings = analysis::job_findings(job->ranks);
  job->grids = {analysis::arrival_grid(job->ranks), analysis::own_time_grid(job->ranks)};
  return job;
}

TEST(RanksViewTest, ShowsAThousandRanks) {
  const std::shared_ptr<const OpenJob> job = thousand_ranks();
  ASSERT_EQ(job->ranks.ranks.size(), 1000U);
  ASSERT_EQ(job->ranks.slow, std::vector<std::size_t>{617});
  RanksView view;
  view.resize(1280, 700);
  view.set_job(job);
  view.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));

  // Only the bars that fit are laid out, and scrolling reaches the last one.
  RankBars* bars = view.bars();
  EXPECT_EQ(bars->table().rows.size(), 1000U);
  EXPECT_LT(bars->chart()->data().bars.size(), 61U);
  EXPECT_TRUE(bars->scroll_bar()->isVisible());
  EXPECT_EQ(bars->scroll_bar()->maximum() + static_cast<int>(bars->chart()->data().bars.size()),
            1000);
  QSignalSpy clicked(&view, &RanksView::rank_clicked);
  Q_EMIT bars->chart()->row_clicked(0);
  EXPECT_EQ(clicked.takeFirst().front().toInt(), 617);

  // The late rank shares a pixel with others, and is what the pixel shows.
  for (int grid = 0; grid < view.grids()->count(); ++grid) {
    view.grids()->setCurrentIndex(grid);
    const QRect plot = view.map()->plot();
    ASSERT_LT(plot.height(), 1000);
    const int y = plot.top() + plot.height() * 617 / 1000;
    const auto cell = view.map()->cell_at({plot.center().x(), y});
    ASSERT_TRUE(cell) << grid;
    EXPECT_EQ(cell->rank, 617U) << grid;
    EXPECT_TRUE(view.map()->text_of(*cell).startsWith(QStringLiteral("Rank 617 (node-77)")));
    QTest::mouseClick(view.map(), Qt::LeftButton, {}, {plot.center().x(), y});
    EXPECT_EQ(clicked.takeFirst().front().toInt(), 617) << grid;
  }
  EXPECT_FALSE(view.map()->cell_at({0, 0}));
  for (const QSize size : {QSize(1, 1), QSize(300, 900), QSize(1920, 1000)}) {
    view.resize(size);
    QApplication::processEvents();
    EXPECT_FALSE(view.grab().isNull());
  }
  view.set_job(nullptr);
  QApplication::processEvents();
  EXPECT_FALSE(view.grab().isNull());
  EXPECT_TRUE(view.tables().empty());
}

}  // namespace
}  // namespace mansard::gui
