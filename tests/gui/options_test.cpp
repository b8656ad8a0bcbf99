// SPDX-License-Identifier: Apache-2.0
#include "gui/options.h"

#include <QFile>
#include <QTemporaryDir>
#include <cmath>

#include <gtest/gtest.h>

#include "gui/views/theme.h"

namespace mansard::gui {
namespace {

ParsedOptions parse_line(const char* text) {
  return parse_options(QString::fromUtf8(text).split(QLatin1Char(' '), Qt::SkipEmptyParts));
}

TEST(Options, ParseEveryOption) {
  const ParsedOptions p = parse_line(
      "a.sqlite --machine m.json b.sqlite -m n.json --size 800x600 --theme dark --select 3");
  ASSERT_FALSE(p.exit_code) << p.error.toStdString();
  EXPECT_EQ(p.options.files, (QStringList{"a.sqlite", "b.sqlite"}));
  EXPECT_EQ(p.options.machines, (QStringList{"m.json", "n.json"}));
  EXPECT_EQ(p.options.size, QSize(800, 600));
  EXPECT_EQ(p.options.theme, figure::Theme::dark);
  EXPECT_EQ(p.options.select, 3);
}

TEST(Options, BadUsageExitsWithTwoAndNamesTheValue) {
  for (const char* text :
       {"--size 800", "--size 0x600", "--theme blue", "--select none", "--select 0",
        "--no-such-option", "--machine", "--summaries s", "a.sqlite --tabs --summaries s"}) {
    const ParsedOptions p = parse_line(text);
    EXPECT_EQ(p.exit_code, 2) << text;
    EXPECT_FALSE(p.error.isEmpty()) << text;
    EXPECT_TRUE(p.output.isEmpty()) << text;
  }
  EXPECT_TRUE(parse_line("--theme blue").error.contains(QStringLiteral("blue")));
}

TEST(Options, HelpAndVersionGoToStdout) {
  EXPECT_EQ(parse_line("--version").exit_code, 0);
  EXPECT_TRUE(parse_line("--version").output.contains(QStringLiteral(MANSARD_VERSION)));
  EXPECT_EQ(parse_line("--help").exit_code, 0);
  EXPECT_TRUE(parse_line("--help").output.contains(QStringLiteral("--screenshot")));
}

TEST(Options, ScreenshotOverwritesOnlyWithForce) {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("x.png"));
  QFile existing(file);
  ASSERT_TRUE(existing.open(QIODevice::WriteOnly));
  const QString run = QStringLiteral("run.sqlite");
  const ParsedOptions refused = parse_options({run, QStringLiteral("--screenshot"), file});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(refused.error.contains(QStringLiteral("-f")));
  EXPECT_FALSE(
      parse_options({run, QStringLiteral("--screenshot"), file, QStringLiteral("-f")}).exit_code);
  EXPECT_EQ(parse_options({QStringLiteral("--screenshot"), file, QStringLiteral("-f")}).exit_code,
            2)
      << "no file to show";
}

TEST(Theme, FollowsThePalette) {
  EXPECT_EQ(theme_of(QPalette(QColor(240, 240, 240))), figure::Theme::light);
  EXPECT_EQ(theme_of(QPalette(QColor(30, 30, 30))), figure::Theme::dark);
}

}  // namespace
}  // namespace mansard::gui
