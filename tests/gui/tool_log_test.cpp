// SPDX-License-Identifier: Apache-2.0
// Parsing of program output: lines, progress.
#include "gui/models/tool_log.h"

#include <QRandomGenerator>

#include <gtest/gtest.h>

#include "gui/models/tool_progress.h"

namespace mansard::gui {
namespace {

TEST(LineSplitter, JoinsLinesThatArriveInPieces) {
  LineSplitter lines;
  EXPECT_TRUE(lines.feed("one, t").empty());
  EXPECT_EQ(lines.feed("wo\nthree\r\n\nfo"), (std::vector<QByteArray>{"one, two", "three", ""}));
  EXPECT_EQ(lines.take_rest(), "fo");
  EXPECT_EQ(lines.take_rest(), "");
}

TEST(LineSplitter, CarriageReturnDiscardsTheLine) {
  LineSplitter lines;
  EXPECT_TRUE(lines.feed("10 %\r50 %\r").empty());
  EXPECT_EQ(lines.feed("99 %\ndone\r\n"), (std::vector<QByteArray>{"99 %", "done"}));
  lines.feed("last\r");
  EXPECT_EQ(lines.take_rest(), "last");
}

TEST(LineSplitter, LimitsTheLengthOfALine) {
  LineSplitter lines;
  const QByteArray much(1 << 20, 'x');
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(lines.feed(much).empty());
  const auto ended = lines.feed("\nnext\n");
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].size(), LineSplitter::kMaxLine_bytes);
  EXPECT_EQ(ended[1], "next");
}

TEST(Printable, KeepsPlainText) {
  EXPECT_EQ(printable("loss 2.31\t± 0.1 漢"), QStringLiteral("loss 2.31\t± 0.1 漢"));
}

TEST(Printable, RemovesEscapeSequences) {
  EXPECT_EQ(printable("\x1b[1;31merror\x1b[0m: \a\x1b]0;title\aend\x1b(B."),
            QStringLiteral("error: endB."));
  EXPECT_EQ(printable("\x1b]0;title\x1b\\end"), QStringLiteral("end"));
  EXPECT_EQ(printable("a\x1b"), QStringLiteral("a"));
  EXPECT_EQ(printable("a\x1b["), QStringLiteral("a"));
  EXPECT_EQ(printable(QByteArrayView("a\0b\x7f"
                                     "c\xc2\x85"
                                     "d",
                                     8)),
            QStringLiteral("abcd"));
}

TEST(Printable, InvalidBytesBecomeReplacements) {
  EXPECT_EQ(printable("a\xff\xfe"
                      "b\xc3"),
            QStringLiteral("a\uFFFD\uFFFDb\uFFFD"));
}

TEST(Printable, CutsLongLinesBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 3), QStringLiteral("abc\u2026"));
  EXPECT_EQ(printable("ab\xf0\x9f\x98\x80", 3), QStringLiteral("ab\u2026"));
  EXPECT_EQ(printable("abc", 3), QStringLiteral("abc"));
}

TEST(Printable, AcceptsArbitraryBytes) {
  QRandomGenerator random(3);
  for (int round = 0; round < 2000; ++round) {
    QByteArray bytes(random.bounded(0, 60), '\0');
    for (char& c : bytes) {
      // Half of the bytes are those of escape sequences.
      c = round % 2 == 0 ? static_cast<char>(random.bounded(256))
                         : "\x1b[];m\a\\"[random.bounded(8)];
    }
    for (const QChar c : printable(bytes)) {
      EXPECT_TRUE(c == u'\t' || c.category() != QChar::Other_Control);
    }
  }
}

TEST(ToolLog, KeepsTheLastLines) {
  ToolLog log;
  const std::size_t all = ToolLog::kMaxLines + 7;
  for (std::size_t i = 0; i < all; ++i) log.add(QString::number(i));
  EXPECT_EQ(log.lines().size(), ToolLog::kMaxLines);
  EXPECT_EQ(log.first(), 7u);
  EXPECT_EQ(log.end(), all);
  EXPECT_EQ(log.lines().front(), QStringLiteral("7"));
  log.clear();
  EXPECT_EQ(log.end(), 0u);
}

TEST(ToolProgress, ReadsLinesOfMansard) {
  const auto found = find_progress(
      R"({"mansard_progress":1,"ceiling":"l2_read","device":"H200","done":3,"left_s":12.5,"total":60})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin, 0);
  EXPECT_EQ(found->progress.done, 3);
  EXPECT_EQ(found->progress.total, 60);
  EXPECT_EQ(found->progress.left_s, 12.5);
  EXPECT_EQ(found->progress.what, QStringLiteral("H200: l2_read"));
}

TEST(ToolProgress, IsFoundAfterUnterminatedOutput) {
  const auto found = find_progress(
      R"(epoch 1 {"mansard_progress":1,"events":7,"dropped_events":1,"file_bytes":99,"files":["/a",3]})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->begin, 8);
  EXPECT_EQ(found->progress.events, 7);
  EXPECT_EQ(found->progress.dropped_events, 1);
  EXPECT_EQ(found->progress.file_bytes, 99);
  EXPECT_EQ(found->progress.files, QStringList{QStringLiteral("/a")});
  EXPECT_FALSE(found->progress.left_s);
}

TEST(ToolProgress, RejectsOtherLines) {
  for (const char* line :
       {"", "mansard_progress", "\"mansard_progress\":1", R"({"mansard_progress":1)",
        R"({"mansard_progress":2,"done":1})", R"({"mansard_progress":"1"})",
        R"(["mansard_progress"])", R"({"mansard_progress":1} and more)"}) {
    EXPECT_FALSE(find_progress(line)) << line;
  }
}

TEST(ToolProgress, RejectsInvalidValues) {
  const auto found = find_progress(
      R"({"mansard_progress":1,"done":9e99,"total":-4,"left_s":"soon","files":{},"result":7})");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->progress.done, 0);
  EXPECT_EQ(found->progress.total, 0);
  EXPECT_FALSE(found->progress.left_s);
  EXPECT_TRUE(found->progress.files.isEmpty());
  EXPECT_TRUE(found->progress.result.isEmpty());
  EXPECT_EQ(find_progress(R"({"mansard_progress":1,"done":70,"total":60})")->progress.done, 60);
}

}  // namespace
}  // namespace mansard::gui
