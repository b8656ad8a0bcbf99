// SPDX-License-Identifier: Apache-2.0
#include "gui/models/shell_words.h"

#include <QProcess>
#include <QRandomGenerator>

#include <gtest/gtest.h>

namespace mansard::gui {
namespace {

QStringList words(const char* line) { return split_shell_words(QString::fromUtf8(line)).words; }

TEST(ShellWords, MatchThoseOfAShell) {
  EXPECT_EQ(words("  python3  train.py\t--lr 1e-3 "),
            (QStringList{"python3", "train.py", "--lr", "1e-3"}));
  EXPECT_EQ(words(R"('my program' "a \"b\" \x" c\ d '' e"f"'g')"),
            (QStringList{"my program", R"(a "b" \x)", "c d", "", "efg"}));
  EXPECT_TRUE(words("   ").isEmpty());
  EXPECT_EQ(words("a\\"), QStringList{"a\\"});
}

TEST(ShellWords, ReportAnOpenQuote) {
  for (const char* line : {"python 'train", "echo \"a", "echo \"a\\\"", "'"}) {
    const ShellWords split = split_shell_words(QString::fromUtf8(line));
    EXPECT_FALSE(split.problem.isEmpty()) << line;
    EXPECT_TRUE(split.words.isEmpty()) << line;
  }
}

TEST(ShellWords, ListUninterpretedCharacters) {
  const auto special = [](const char* line) {
    return split_shell_words(QString::fromUtf8(line)).not_interpreted;
  };
  EXPECT_EQ(special("a | b > c | $HOME"), QStringLiteral("|>$"));
  EXPECT_EQ(special("~/train"), QStringLiteral("~"));
  EXPECT_EQ(special("run~1 a#b"), QString());
  EXPECT_EQ(special(R"('a|b' "c;d" e\&)"), QString());
}

TEST(ShellWords, RoundTripHereAndThroughARealShell) {
  QRandomGenerator random(7);
  const QString letters = QStringLiteral("ab '\"\\$|&;*~\t\n{}#é漢");
  for (int round = 0; round < 200; ++round) {
    QStringList list;
    for (int i = random.bounded(1, 5); i > 0; --i) {
      QString word;
      for (int n = random.bounded(0, 8); n > 0; --n) {
        word += letters[random.bounded(static_cast<int>(letters.size()))];
      }
      list << word;
    }
    const QString line = join_shell_words(list);
    ASSERT_EQ(split_shell_words(line).words, list) << line.toStdString();
    if (round % 20 != 0) continue;
    QProcess shell;
    shell.start(QStringLiteral("/bin/sh"),
                {QStringLiteral("-c"), QStringLiteral("printf '%s\\001' ") + line});
    ASSERT_TRUE(shell.waitForFinished());
    EXPECT_EQ(QString::fromUtf8(shell.readAll()), list.join(QChar(1)) + QChar(1))
        << line.toStdString();
  }
}

}  // namespace
}  // namespace mansard::gui
