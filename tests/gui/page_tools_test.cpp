// SPDX-License-Identifier: Apache-2.0
// Tools around the views of a page: filter bar, export, sides, sessions.
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QRegularExpression>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QXmlStreamReader>

#include <gtest/gtest.h>

#include "analyzer/answer.h"
#include "gui/models/load_run.h"
#include "gui/models/session.h"
#include "gui/views/export_view.h"
#include "gui/views/filter_bar.h"
#include "gui/views/main_window.h"
#include "gui/views/run_page.h"
#include "gui/views/run_view.h"
#include "gui/views/run_views.h"
#include "gui/views/tab_sides.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

analysis::RunAnalysis load_training_run(const std::filesystem::path&,
                                        const std::vector<std::filesystem::path>&,
                                        const store::LoadControl&) {
  return *testing::training_run();
}

QStringList numbers_in(const QString& text) {
  static const QRegularExpression digits(QStringLiteral("\\d+"));
  QStringList numbers;
  for (auto match = digits.globalMatch(text); match.hasNext();) numbers << match.next().captured();
  return numbers;
}

class PageTools : public ::testing::Test {
 protected:
  PageTools() {
    window.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&window));
  }

  RunPage* open(const QString& file) {
    window.open({file});
    RunDocument* document = window.page_of(file)->document();
    EXPECT_TRUE(
        QTest::qWaitFor([&] { return document->state() == RunDocument::State::ready; }, 10000));
    return window.page_of(file);
  }

  QString path(const QString& name) const { return folder.filePath(name); }
  static QByteArray read(const QString& file) {
    QFile in(file);
    EXPECT_TRUE(in.open(QIODevice::ReadOnly)) << file.toStdString();
    return in.readAll();
  }
  static QToolButton* button(RunPage* page, const QString& text) {
    for (QToolButton* b : page->filter()->findChildren<QToolButton*>()) {
      if (b->text().contains(text)) return b;
    }
    return nullptr;
  }

  QTemporaryDir folder;
  QSettings settings{folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat};
  MainWindow window{{}, &settings, load_training_run};
};

// Row counts of the profile's tables: 1411 kernels with 18 signatures, 894 memcpys and 74 memsets.
TEST(FilterBar, CountsMemcpysApartFromLaunches) {
  QTemporaryDir folder;
  QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
  MainWindow window({}, &settings, load_run);
  const QString file = QStringLiteral(MANSARD_SOURCE_FOLDER "/examples/h200/h200_offload.sqlite");
  window.open({file});
  RunPage* page = window.page_of(file);
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return page->document()->state() == RunDocument::State::ready; }, 30000));
  EXPECT_EQ(numbers_in(page->filter()->count_text().remove(QLatin1Char(','))),
            (QStringList{"18", "1411", "968"}));
}

TEST_F(PageTools, APageSaysWhatToChangeFirst) {
  const RunPage* page = open(path(QStringLiteral("a.sqlite")));
  const auto run = testing::training_run();
  const analysis::Answer answer(*run, analysis::RunUnit(*run));
  const auto* label = page->findChild<QLabel*>(QStringLiteral("first_changes"));
  ASSERT_NE(label, nullptr);
  ASSERT_FALSE(answer.first.empty());
  EXPECT_FALSE(label->isHidden());
  for (const analysis::Advice& advice : answer.first) {
    EXPECT_TRUE(label->text().contains(QString::fromStdString(advice.title)));
    EXPECT_TRUE(label->toolTip().contains(
        QString::fromStdString(advice.remedy.empty() ? advice.text : advice.remedy)));
  }
}

TEST_F(PageTools, FilterBarShowsCountsAndRemovesParts) {
  RunPage* page = open(QStringLiteral("a.sqlite"));
  EXPECT_EQ(numbers_in(page->filter()->count_text()).value(0), QStringLiteral("13"));
  page->selection()->set_operation_class(QStringLiteral("attention"));
  EXPECT_EQ(page->filter()->part_texts(), QStringList{QStringLiteral("class attention")});
  EXPECT_EQ(page->selection()->shown()->total_launches, 64);
  // Rows and all rows; kernel signatures and launches.
  EXPECT_EQ(numbers_in(page->filter()->count_text()).mid(0, 4),
            (QStringList{"2", "13", "2", "64"}));
  QTest::mouseClick(button(page, QStringLiteral("attention")), Qt::LeftButton);
  EXPECT_TRUE(page->selection()->filter().passes_all());
  QTest::mouseClick(button(page, QStringLiteral("\u21b6")), Qt::LeftButton);
  EXPECT_EQ(page->selection()->filter().operation_class, QStringLiteral("attention"));
  QTest::mouseClick(button(page, QStringLiteral("\u21b7")), Qt::LeftButton);
  EXPECT_TRUE(page->selection()->filter().passes_all());
}

TEST_F(PageTools, EnterStepsThroughTheMatches) {
  RunPage* page = open(QStringLiteral("a.sqlite"));
  auto* field = page->filter()->findChild<QLineEdit*>();
  QTest::keyClicks(field, QStringLiteral("attention"));
  EXPECT_EQ(page->filter()->match_text(), QString());
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_EQ(page->filter()->match_text(), QStringLiteral("1 of 64"));
  QTest::keyClick(field, Qt::Key_Return);
  EXPECT_EQ(page->filter()->match_text(), QStringLiteral("2 of 64"));
  QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
  QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
  EXPECT_EQ(page->filter()->match_text(), QStringLiteral("64 of 64"));
}

TEST_F(PageTools, ThePinFiltersByTheVisibleTime) {
  RunPage* page = open(QStringLiteral("a.sqlite"));
  ASSERT_FALSE(page->filter()->pin()->isHidden());
  EXPECT_FALSE(page->filter()->pin()->isChecked());
  page->filter()->pin()->click();
  EXPECT_TRUE(page->selection()->state().pinned);
  EXPECT_EQ(page->selection()->filter().window, page->selection()->state().visible);
  EXPECT_EQ(page->filter()->part_texts().size(), 1);
  page->selection()->undo();
  EXPECT_FALSE(page->filter()->pin()->isChecked());
  EXPECT_TRUE(page->selection()->filter().passes_all());
}

TEST_F(PageTools, UndoRestoresTheTextField) {
  RunPage* page = open(QStringLiteral("a.sqlite"));
  auto* field = page->filter()->findChild<QLineEdit*>();
  QTest::keyClicks(field, QStringLiteral("norm"));
  page->selection()->undo();
  EXPECT_TRUE(field->text().isEmpty());
  page->selection()->redo();
  EXPECT_EQ(field->text(), QStringLiteral("norm"));
}

// Every view in every format it supports; unusual data is tested per view.
TEST_F(PageTools, ExportsEveryView) {
  RunPage* page = open(QStringLiteral("a.sqlite"));
  page->selection()->select(0);
  for (const RunViewSpec& spec : run_views()) {
    if (spec.needs == Needs::training) continue;  // hidden: this run has no record of its training
    const QString name = QString::fromUtf8(spec.name);
    page->raise_view(name);
    QApplication::processEvents();
    RunView* view = page->view(name);
    ASSERT_EQ(page->current_view(), view);
    EXPECT_FALSE(view->accessibleName().isEmpty()) << spec.name;
    EXPECT_TRUE(window.export_current_view(path(name + QStringLiteral(".png")))) << spec.name;
    const QImage image(path(name + QStringLiteral(".png")));
    EXPECT_EQ(image.size(), view->size() * 2) << spec.name;
    const bool wrote = window.export_current_view(path(name + QStringLiteral(".svg")));
    EXPECT_EQ(wrote, view->is_figure()) << spec.name;
    if (wrote) {
      QXmlStreamReader svg(read(path(name + QStringLiteral(".svg"))));
      int texts = 0;
      while (!svg.atEnd()) {
        if (svg.readNext() == QXmlStreamReader::StartElement && svg.name() == QLatin1String("text"))
          ++texts;
      }
      EXPECT_FALSE(svg.hasError()) << spec.name << ' ' << svg.errorString().toStdString();
      EXPECT_GT(texts, 0) << spec.name;
    }
    const std::vector<analysis::Table> tables = view->tables();
    EXPECT_EQ(window.export_current_view(path(name + QStringLiteral(".csv"))), !tables.empty())
        << spec.name;
    for (const analysis::Table& table : tables) {
      for (const auto& row : table.rows) {
        EXPECT_EQ(row.size(), table.columns.size()) << spec.name << ' ' << table.id;
      }
    }
  }
}

TEST_F(PageTools, FailedExportKeepsTheOldFile) {
  RunPage* page = open(QStringLiteral("a.sqlite"));
  page->raise_view(QStringLiteral("roofline"));
  EXPECT_FALSE(window.export_current_view(path(QStringLiteral("no/such/folder.svg"))));
  EXPECT_FALSE(window.export_current_view(path(QStringLiteral("figure.gif"))));
  EXPECT_FALSE(QFile::exists(path(QStringLiteral("figure.gif"))));
  try {
    export_view(*page->current_view(), path(QStringLiteral("figure.gif")));
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("figure.gif"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find(".svg, .png or .csv"), std::string::npos) << e.what();
  }
}

TEST_F(PageTools, CopiesAViewAsPictureAndText) {
  RunPage* page = open(QStringLiteral("a.sqlite"));
  page->raise_view(QStringLiteral("kernels"));
  copy_view(*page->current_view());
  const QMimeData* data = QApplication::clipboard()->mimeData();
  EXPECT_TRUE(data->hasImage());
  EXPECT_EQ(data->text().count(QLatin1Char('\n')), 14);  // 13 kernels and the header
  EXPECT_TRUE(data->text().contains(QStringLiteral("rmsnorm_fwd_kernel")));
}

TEST_F(PageTools, TableExportsFilteredRows) {
  RunPage* page = open(QStringLiteral("a.sqlite"));
  page->selection()->set_window(
      figure::TimeSpan{0, page->document()->open_run()->launches.end_ns[9] + 1});
  const std::vector<analysis::Table> tables = page->view(QStringLiteral("kernels"))->tables();
  ASSERT_EQ(tables.size(), 1u);
  ASSERT_EQ(tables[0].rows.size(), 1u);
  for (std::size_t i = 0; i < tables[0].columns.size(); ++i) {
    if (tables[0].columns[i].key == "launches") {
      EXPECT_EQ(std::get<std::int64_t>(tables[0].rows[0][i]), 10);
    }
    if (tables[0].columns[i].key == "share") {
      EXPECT_DOUBLE_EQ(std::get<double>(tables[0].rows[0][i]), 1);
    }
  }
}

TEST_F(PageTools, PagesMoveToTheOtherSide) {
  RunPage* a = open(QStringLiteral("a.sqlite"));
  window.sides()->move_to_other_side(a);  // single page: nothing happens
  EXPECT_FALSE(window.sides()->on_second_side(a));
  RunPage* b = open(QStringLiteral("b.sqlite"));
  window.sides()->move_to_other_side(b);
  EXPECT_TRUE(window.sides()->on_second_side(b));
  EXPECT_TRUE(a->isVisible() && b->isVisible());
  EXPECT_EQ(window.current_page(), b);
  EXPECT_EQ(window.page_count(), 2);
  open(QStringLiteral("a.sqlite"));
  EXPECT_EQ(window.current_page(), a);
  window.sides()->move_to_other_side(b);
  EXPECT_FALSE(window.sides()->on_second_side(b));
  EXPECT_FALSE(a->isVisible());
}

TEST_F(PageTools, BaselineMayBeClosed) {
  window.compare(QStringLiteral("a.sqlite"), QStringLiteral("b.sqlite"));
  open(QStringLiteral("a.sqlite"));
  RunPage* a = window.page_of(QStringLiteral("a.sqlite"));
  ASSERT_NE(a->baseline(), nullptr);
  EXPECT_EQ(a->baseline()->title(), QStringLiteral("b.sqlite"));
  EXPECT_EQ(window.current_page(), a);
  const auto* summary = a->findChild<QLabel*>(QStringLiteral("summary"));
  EXPECT_TRUE(QTest::qWaitFor([&] {
    return summary->text().contains(QStringLiteral("same time as baseline b.sqlite"));
  })) << qPrintable(summary->text());
  RunPage* b = window.page_of(QStringLiteral("b.sqlite"));
  Q_EMIT window.sides()->close_requested(b);
  EXPECT_EQ(window.page_count(), 1);
  EXPECT_EQ(a->baseline(), nullptr);
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
  QApplication::processEvents();
}

TEST_F(PageTools, RestoresTheSession) {
  for (const char* name : {"a.sqlite", "b.sqlite", "c.sqlite"}) {
    QFile file(path(QString::fromUtf8(name)));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  }
  open(path(QStringLiteral("c.sqlite")));
  window.compare(path(QStringLiteral("a.sqlite")), path(QStringLiteral("b.sqlite")));
  window.sides()->move_to_other_side(window.page_of(path(QStringLiteral("b.sqlite"))));
  window.sides()->set_current(window.page_of(path(QStringLiteral("a.sqlite"))));
  window.current_page()->dock(QStringLiteral("details"))->hide();
  window.close();
  QFile::remove(path(QStringLiteral("c.sqlite")));

  MainWindow next({}, &settings, load_training_run);
  next.restore_looks();
  next.restore_session();
  next.show();
  ASSERT_EQ(next.page_count(), 2);
  RunPage* a = next.page_of(path(QStringLiteral("a.sqlite")));
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(next.current_page(), a);
  ASSERT_NE(a->baseline(), nullptr);
  EXPECT_EQ(a->baseline()->title(), QStringLiteral("b.sqlite"));
  EXPECT_TRUE(next.sides()->on_second_side(next.page_of(path(QStringLiteral("b.sqlite")))));
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return a->document()->state() == RunDocument::State::ready; }, 10000));
  EXPECT_TRUE(a->dock(QStringLiteral("details"))->isHidden());
  EXPECT_FALSE(a->dock(QStringLiteral("kernels"))->isHidden());
}

// The table follows a selection made elsewhere without selecting anything itself.
TEST_F(PageTools, FilteringWithFocusInTheTableSelectsNothing) {
  RunPage* page = open(QStringLiteral("a.sqlite"));
  page->raise_view(QStringLiteral("kernels"));
  page->selection()->select_launch(200);
  const ViewState before = page->selection()->state();
  page->selection()->set_words(QStringLiteral("norm"));
  EXPECT_EQ(page->selection()->selected(), before.row);
  page->selection()->undo();
  EXPECT_EQ(page->selection()->state(), before);
  EXPECT_TRUE(page->selection()->can_redo());
}

TEST_F(PageTools, ReloadKeepsClosedViewsClosed) {
  RunPage* page = open(QStringLiteral("a.sqlite"));
  page->dock(QStringLiteral("tree"))->hide();
  const auto first = page->document()->open_run();
  page->document()->reload();
  EXPECT_TRUE(QTest::qWaitFor([&] { return page->document()->open_run() != first; }, 10000));
  EXPECT_TRUE(page->dock(QStringLiteral("tree"))->isHidden());
}

TEST(Session, IgnoresInvalidSettings) {
  QTemporaryDir folder;
  QSettings settings(folder.filePath(QStringLiteral("odd.ini")), QSettings::IniFormat);
  EXPECT_EQ(read_session(settings), Session());
  settings.setValue(QStringLiteral("session/pages/size"), QStringLiteral("a few"));
  settings.setValue(QStringLiteral("session/geometry"), 7);
  settings.setValue(QStringLiteral("session/machines"), QByteArray("\xff\x00", 2));
  read_session(settings);
  settings.setValue(QStringLiteral("session/pages/size"), 3);
  settings.setValue(QStringLiteral("session/pages/2/file"), QStringLiteral("x.sqlite"));
  EXPECT_EQ(read_session(settings).pages.size(), 1u);
  MainWindow window({}, &settings, load_training_run);
  window.restore_session();
  EXPECT_EQ(window.page_count(), 0);
}

}  // namespace
}  // namespace mansard::gui
