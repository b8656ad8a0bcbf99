// SPDX-License-Identifier: Apache-2.0
#include "gui/models/bookmarks.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRandomGenerator>
#include <QSettings>
#include <QTemporaryDir>
#include <limits>

#include <gtest/gtest.h>

#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

template <typename Integer>
Integer any_integer(QRandomGenerator& random) {
  switch (random.bounded(4)) {
    case 0:
      return std::numeric_limits<Integer>::min();
    case 1:
      return std::numeric_limits<Integer>::max();
    case 2:
      return static_cast<Integer>(random.bounded(100));
    default:
      return static_cast<Integer>(random.generate64());
  }
}

QString any_text(QRandomGenerator& random) {
  static const QString letters = QStringLiteral("ab<>\"\\/\n\u0001é漢\U0001F600 ");
  QString text;
  for (int n = random.bounded(12); n > 0; --n) {
    // Whole characters: JSON cannot represent half of a surrogate pair.
    text += random.bounded(5) == 0 ? QStringLiteral("\U0001F600")
                                   : QString(letters[random.bounded(10)]);
  }
  return text;
}

ViewState any_state(QRandomGenerator& random) {
  const auto often = [&] { return random.bounded(3) > 0; };
  ViewState s;
  if (often()) s.row = any_integer<std::uint32_t>(random);
  if (often()) s.launch = any_integer<std::uint32_t>(random);
  if (often()) s.filter.words = any_text(random);
  if (often()) s.filter.operation_class = any_text(random);
  if (often()) s.filter.range = any_text(random);
  if (often()) s.filter.device_id = any_integer<std::int32_t>(random);
  if (often()) {
    s.filter.stream =
        gui::StreamKey{any_integer<std::int32_t>(random), any_integer<std::int32_t>(random),
                       any_integer<std::int64_t>(random)};
  }
  if (often()) {
    s.filter.window =
        figure::TimeSpan{any_integer<std::int64_t>(random), any_integer<std::int64_t>(random)};
  }
  if (often()) {
    s.visible =
        figure::TimeSpan{any_integer<std::int64_t>(random), any_integer<std::int64_t>(random)};
  }
  s.pinned = often();
  return s;
}

std::optional<ViewState> parse(const char* json) {
  const QJsonDocument document = QJsonDocument::fromJson(json);
  EXPECT_TRUE(document.isObject()) << json;
  return view_state_from(document.object());
}

TEST(ViewStateJson, RoundTripsAnyState) {
  QRandomGenerator random(11);
  for (int round = 0; round < 1000; ++round) {
    const ViewState state = any_state(random);
    const QByteArray json = QJsonDocument(to_json(state)).toJson();
    const auto back = view_state_from(QJsonDocument::fromJson(json).object());
    ASSERT_TRUE(back) << json.toStdString();
    EXPECT_EQ(*back, state) << json.toStdString();
  }
}

TEST(ViewStateJson, IgnoresUnknownKeys) {
  const auto state = parse(
      R"({"version":1,"new":[1],"row":3,"filter":{"words":"gemm","color":{},
          "stream":{"device_id":0,"context_id":1,"stream_id":7,"priority":-1}}})");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->row, 3u);
  EXPECT_EQ(state->filter.words, QStringLiteral("gemm"));
  EXPECT_EQ(state->filter.stream, (gui::StreamKey{0, 1, 7}));
}

TEST(ViewStateJson, RejectsInvalidValues) {
  for (const char* json :
       {R"({})", R"({"version":2})", R"({"version":"1"})", R"({"version":1.5})",
        R"({"version":1,"row":-1})", R"({"version":1,"row":"3"})", R"({"version":1,"row":1.5})",
        R"({"version":1,"row":null})", R"({"version":1,"launch":99999999999})",
        R"({"version":1,"launch":1e300})", R"({"version":1,"filter":[]})",
        R"({"version":1,"filter":{"words":7}})", R"({"version":1,"filter":{"range":["a"]}})",
        R"({"version":1,"filter":{"device_id":3000000000}})",
        R"({"version":1,"filter":{"stream":7}})", R"({"version":1,"filter":{"stream":{}}})",
        R"({"version":1,"filter":{"stream":{"device_id":0,"context_id":0}}})",
        R"({"version":1,"filter":{"window":{"start_ns":0}}})",
        R"({"version":1,"filter":{"window":{"start_ns":0,"end_ns":"1"}}})"}) {
    EXPECT_FALSE(parse(json)) << json;
  }
}

TEST(ViewStateJson, AcceptsTruncatedOrChangedText) {
  QRandomGenerator random(5);
  for (int round = 0; round < 2000; ++round) {
    QByteArray json = to_json(
        {{QStringLiteral("a"), any_state(random)}, {QStringLiteral("b"), any_state(random)}});
    const int at = random.bounded(static_cast<int>(json.size()));
    if (round % 2 == 0)
      json.truncate(at);
    else
      json[at] = static_cast<char>(random.bounded(256));
    EXPECT_LE(bookmarks_from(json).size(), 2u);
  }
}

class BookmarksTest : public ::testing::Test {
 protected:
  static ViewState words(const char* text) {
    ViewState state;
    state.filter.words = QString::fromUtf8(text);
    return state;
  }

  QTemporaryDir folder;
  QSettings settings{folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat};
};

TEST_F(BookmarksTest, BelongToOneFileAndPersist) {
  const QString file = QStringLiteral("/data/a b/run, 50%.sqlite");
  Bookmarks marks(&settings, file);
  EXPECT_TRUE(marks.all().empty());
  EXPECT_TRUE(marks.set(QStringLiteral("slow/é"), words("gemm")));
  EXPECT_TRUE(marks.set(QStringLiteral("other"), words("norm")));
  EXPECT_TRUE(Bookmarks(&settings, QStringLiteral("/data/other.sqlite")).all().empty());
  settings.sync();
  QSettings again(settings.fileName(), QSettings::IniFormat);
  const Bookmarks back(&again, QStringLiteral("/data/x/../a b/run, 50%.sqlite"));
  EXPECT_EQ(back.all(), marks.all());
  ASSERT_NE(back.find(QStringLiteral("slow/é")), nullptr);
  EXPECT_EQ(back.find(QStringLiteral("slow/é"))->state, words("gemm"));
}

TEST_F(BookmarksTest, ReplaceOneWithTheSameName) {
  Bookmarks marks(&settings, QStringLiteral("/a"));
  marks.set(QStringLiteral("x"), words("1"));
  marks.set(QStringLiteral("y"), words("2"));
  marks.set(QStringLiteral("x"), words("3"));
  ASSERT_EQ(marks.all().size(), 2u);
  EXPECT_EQ(marks.all().front(), (Bookmark{QStringLiteral("x"), words("3")}));
  marks.remove(QStringLiteral("x"));
  EXPECT_EQ(marks.find(QStringLiteral("x")), nullptr);
  marks.remove(QStringLiteral("y"));
  EXPECT_TRUE(settings.allKeys().isEmpty());
}

TEST_F(BookmarksTest, RequireANameAndAreLimited) {
  Bookmarks marks(&settings, QStringLiteral("/a"));
  EXPECT_FALSE(marks.set(QString(), {}));
  for (std::size_t i = 0; i < Bookmarks::kMax; ++i) {
    EXPECT_TRUE(marks.set(QString::number(i), {}));
  }
  EXPECT_FALSE(marks.set(QStringLiteral("one more"), {}));
  EXPECT_TRUE(marks.set(QStringLiteral("7"), words("replaced")));
  EXPECT_EQ(Bookmarks(&settings, QStringLiteral("/a")).all(), marks.all());
}

TEST_F(BookmarksTest, IgnoresInvalidSettings) {
  Bookmarks(&settings, QStringLiteral("/a")).set(QStringLiteral("x"), {});
  const QString key = settings.allKeys().front();
  for (const QVariant& odd :
       {QVariant(), QVariant(7), QVariant(QStringLiteral("{")), QVariant(QStringLiteral("[]")),
        QVariant(QStringLiteral(R"({"version":9,"bookmarks":[]})")),
        QVariant(QStringLiteral(R"({"version":1,"bookmarks":7})")),
        QVariant(QStringLiteral(R"({"version":1,"bookmarks":[7,{"name":3},{"name":"x"}]})"))}) {
    settings.setValue(key, odd);
    EXPECT_TRUE(Bookmarks(&settings, QStringLiteral("/a")).all().empty());
  }
  settings.setValue(
      key, QStringLiteral(R"({"version":1,"bookmarks":[{"name":"bad","state":{"version":3}},)"
                          R"({"name":"good","state":{"version":1}}]})"));
  const Bookmarks marks(&settings, QStringLiteral("/a"));
  ASSERT_EQ(marks.all().size(), 1u);
  EXPECT_EQ(marks.all().front().name, QStringLiteral("good"));
}

TEST(Bookmark, DropsMissingRowsAndLaunches) {
  const auto run = prepare_run(*testing::training_run());
  const std::size_t rows = run->analysis.rows.size();
  ViewState state;
  state.row = rows - 1;
  state.launch = run->launches.size();
  state.filter.words = QStringLiteral("gemm");
  ViewState fit = fitted(state, *run);
  EXPECT_EQ(fit.row, rows - 1);
  EXPECT_FALSE(fit.launch);
  EXPECT_EQ(fit.filter, state.filter);
  state.row = rows;
  EXPECT_FALSE(fitted(state, *run).row);
}

}  // namespace
}  // namespace mansard::gui
