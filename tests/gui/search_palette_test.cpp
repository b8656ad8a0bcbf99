// SPDX-License-Identifier: Apache-2.0
#include "gui/views/search_palette.h"

#include <QLineEdit>
#include <QListView>
#include <QMainWindow>
#include <QMenuBar>
#include <QTest>

#include <gtest/gtest.h>

namespace mansard::gui {
namespace {

class SearchPaletteTest : public ::testing::Test {
 protected:
  SearchPaletteTest() {
    window.resize(900, 600);
    window.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&window));
  }

  void ask(int count = 0) {
    std::vector<PaletteEntry> entries;
    for (const char* name : {"Open file", "Close", "gemm_fp8", "layer_norm"}) {
      const QString text = QString::fromUtf8(name);
      entries.push_back({text, {}, QStringLiteral("Kernel"), [this, text] { ran = text; }});
    }
    for (int i = 0; i < count; ++i) {
      const QString text = QStringLiteral("kernel %1").arg(i);
      entries.push_back(
          {text, QStringLiteral("1 %"), QStringLiteral("Kernel"), [this, text] { ran = text; }});
    }
    palette.ask(std::move(entries));
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&palette));
  }
  void type(const char* text) { QTest::keyClicks(field(), QString::fromUtf8(text)); }
  void press(Qt::Key key) { QTest::keyClick(field(), key); }
  QLineEdit* field() { return palette.findChild<QLineEdit*>(); }
  QListView* list() { return palette.findChild<QListView*>(); }
  QString current() { return list()->currentIndex().data().toString(); }

  QMainWindow window;
  SearchPalette palette{&window};
  QString ran;
};

TEST_F(SearchPaletteTest, RunsTheFirstMatchOnEnter) {
  ask();
  EXPECT_TRUE(palette.isVisible());
  EXPECT_TRUE(field()->hasFocus());
  EXPECT_EQ(current(), QStringLiteral("Open file"));
  type("gf8");
  EXPECT_EQ(palette.model()->rowCount(), 1);
  EXPECT_EQ(current(), QStringLiteral("gemm_fp8"));
  press(Qt::Key_Return);
  EXPECT_EQ(ran, QStringLiteral("gemm_fp8"));
  EXPECT_FALSE(palette.isVisible());
}

TEST_F(SearchPaletteTest, EscapeRunsNothing) {
  ask();
  type("open");
  press(Qt::Key_Escape);
  EXPECT_FALSE(palette.isVisible());
  EXPECT_TRUE(ran.isEmpty());
  EXPECT_EQ(palette.model()->rowCount(), 0) << "closed, it keeps no entries";
  ask();
  EXPECT_TRUE(field()->text().isEmpty()) << "reopened with an empty field";
  EXPECT_EQ(palette.model()->rowCount(), 4);
}

TEST_F(SearchPaletteTest, ArrowsWrapAroundAndPagesDoNot) {
  ask(100);
  EXPECT_EQ(palette.model()->rowCount(), PaletteModel::kMaxShown);
  press(Qt::Key_Down);
  EXPECT_EQ(current(), QStringLiteral("Close"));
  press(Qt::Key_Up);
  press(Qt::Key_Up);
  EXPECT_EQ(list()->currentIndex().row(), PaletteModel::kMaxShown - 1);
  press(Qt::Key_Down);
  EXPECT_EQ(list()->currentIndex().row(), 0);
  press(Qt::Key_PageUp);
  EXPECT_EQ(list()->currentIndex().row(), 0);
  for (int i = 0; i < 10; ++i) press(Qt::Key_PageDown);
  EXPECT_EQ(list()->currentIndex().row(), PaletteModel::kMaxShown - 1);
  EXPECT_TRUE(list()->visualRect(list()->currentIndex()).intersects(list()->viewport()->rect()));
  type("kernel 7");
  EXPECT_EQ(list()->currentIndex().row(), 0) << "the best match is selected";
}

TEST_F(SearchPaletteTest, SaysWhenNothingMatches) {
  ask();
  type("zzz");
  EXPECT_FALSE(list()->isVisible());
  press(Qt::Key_Return);
  press(Qt::Key_Down);
  EXPECT_TRUE(palette.isVisible());
  EXPECT_TRUE(ran.isEmpty());
  for (int i = 0; i < 3; ++i) press(Qt::Key_Backspace);
  EXPECT_TRUE(list()->isVisible());
}

TEST_F(SearchPaletteTest, AClickRuns) {
  ask();
  const QModelIndex third = palette.model()->index(2);
  QTest::mouseClick(list()->viewport(), Qt::LeftButton, {}, list()->visualRect(third).center());
  EXPECT_EQ(ran, QStringLiteral("gemm_fp8"));
  EXPECT_FALSE(palette.isVisible());
}

TEST_F(SearchPaletteTest, StaysInsideItsWindow) {
  window.resize(320, 200);
  ask(100);
  EXPECT_LE(palette.width(), 320);
  EXPECT_LE(palette.height(), 200);
}

TEST_F(SearchPaletteTest, HighlightsMatchedLetters) {
  ask();
  const auto ink = [&] {
    const QRect row = list()->visualRect(palette.model()->index(0));
    const QImage image = list()->viewport()->grab(row).toImage();
    const QRgb ground = image.pixel(1, 1);
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width() / 2; ++x) count += image.pixel(x, y) != ground ? 1 : 0;
    }
    return count;
  };
  const int plain = ink();
  EXPECT_GT(plain, 20);
  type("open file");
  EXPECT_EQ(current(), QStringLiteral("Open file"));
  EXPECT_GT(ink(), plain);
}

TEST(MenuEntries, ListTheEnabledCommands) {
  QMainWindow window;
  int opened = 0;
  QMenu* file = window.menuBar()->addMenu(QStringLiteral("&File"));
  file->addAction(QStringLiteral("&Open..."), QKeySequence(QStringLiteral("Ctrl+O")), &window,
                  [&] { ++opened; });
  file->addSeparator();
  file->addAction(QStringLiteral("Close"))->setEnabled(false);
  QMenu* more = file->addMenu(QStringLiteral("&More"));
  more->addAction(QStringLiteral("Save && &quit\tCtrl+S"));
  const auto entries = entries_of(*window.menuBar());
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].text, QStringLiteral("File: Open"));
  EXPECT_EQ(entries[0].detail, QStringLiteral("Ctrl+O"));
  EXPECT_EQ(entries[1].text, QStringLiteral("File: More: Save & quit"));
  entries[0].run();
  EXPECT_EQ(opened, 1);
  delete more->actions().front();
  entries[1].run();  // destroyed meanwhile
}

}  // namespace
}  // namespace mansard::gui
