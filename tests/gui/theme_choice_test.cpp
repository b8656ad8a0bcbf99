// SPDX-License-Identifier: Apache-2.0
#include "gui/models/theme_choice.h"

#include <QApplication>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QStyle>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include "gui/views/main_window.h"
#include "gui/views/theme.h"

namespace mansard::gui {
namespace {

class ThemeChoiceTest : public ::testing::Test {
 protected:
  ~ThemeChoiceTest() override { apply_theme(*qApp, figure::Theme::light); }

  QAction* entry(MainWindow& window, const QString& text) const {
    for (QAction* menu : window.menuBar()->actions()) {
      for (QAction* sub : menu->menu()->actions()) {
        if (sub->menu() == nullptr) continue;
        for (QAction* action : sub->menu()->actions()) {
          if (action->text().remove(QLatin1Char('&')) == text) return action;
        }
      }
    }
    return nullptr;
  }

  QTemporaryDir folder;
  QString file = folder.filePath(QStringLiteral("settings.ini"));
  QSettings settings{file, QSettings::IniFormat};
};

TEST_F(ThemeChoiceTest, IsKeptForTheNextStart) {
  MainWindow window({}, &settings);
  const auto stored = [&] {
    settings.sync();
    return read_theme(QSettings(file, QSettings::IniFormat));
  };
  EXPECT_EQ(stored(), std::nullopt);
  entry(window, QStringLiteral("Dark"))->trigger();
  EXPECT_EQ(theme_of(qApp->palette()), figure::Theme::dark);
  EXPECT_EQ(stored(), figure::Theme::dark);
  entry(window, QStringLiteral("Light"))->trigger();
  EXPECT_EQ(theme_of(qApp->palette()), figure::Theme::light);
  EXPECT_EQ(stored(), figure::Theme::light);
  entry(window, QStringLiteral("As the desktop"))->trigger();
  EXPECT_EQ(stored(), std::nullopt);
}

TEST_F(ThemeChoiceTest, TheDesktopsColorsComeBack) {
  follow_desktop(*qApp);
  const QPalette desktop = qApp->palette();
  const QString style = qApp->style()->name();
  apply_theme(*qApp, figure::Theme::dark);
  EXPECT_NE(qApp->palette(), desktop);
  follow_desktop(*qApp);
  EXPECT_EQ(qApp->palette(), desktop);
  EXPECT_EQ(qApp->style()->name(), style);
}

TEST_F(ThemeChoiceTest, IgnoresInvalidSettings) {
  for (const QVariant& value : {QVariant(7), QVariant(QStringLiteral("pink")), QVariant()}) {
    settings.setValue(QStringLiteral("theme"), value);
    EXPECT_EQ(read_theme(settings), std::nullopt);
  }
}

TEST_F(ThemeChoiceTest, IsNotStoredWithoutSettings) {
  MainWindow window({});
  entry(window, QStringLiteral("Dark"))->trigger();
  EXPECT_EQ(theme_of(qApp->palette()), figure::Theme::dark);
}

}  // namespace
}  // namespace mansard::gui
