// SPDX-License-Identifier: Apache-2.0
// Fuzzy ranking, and the model of its results.
#include "gui/models/palette_model.h"

#include <QAbstractItemModelTester>
#include <QRandomGenerator>
#include <algorithm>
#include <ctime>

#include <gtest/gtest.h>

#include "gui/models/load_run.h"
#include "gui/models/run_entries.h"
#include "gui/models/selection_model.h"
#include "tests/gui/fixture.h"

namespace mansard::gui {
namespace {

std::vector<int> positions(const char* query, const char* text) {
  const auto match =
      FuzzyQuery(QString::fromUtf8(query)).best_match(FuzzyText(QString::fromUtf8(text)));
  return match ? match->positions : std::vector<int>{-1};
}

int score(const char* query, const char* text) {
  const auto match =
      FuzzyQuery(QString::fromUtf8(query)).best_match(FuzzyText(QString::fromUtf8(text)));
  return match ? match->score : -1;
}

bool finds(const char* query, const char* text) {
  const FuzzyText in{QString::fromUtf8(text)};
  const FuzzyQuery what{QString::fromUtf8(query)};
  EXPECT_EQ(what.quick_score(in).has_value(), what.best_match(in).has_value()) << query << text;
  return what.quick_score(in).has_value();
}

TEST(FuzzyMatch, FindsLettersInTheirOrder) {
  EXPECT_TRUE(finds("fgf8", "flash_gemm_fp8"));
  EXPECT_TRUE(finds("", "anything"));
  EXPECT_TRUE(finds("FLASH", "flash"));
  EXPECT_TRUE(finds("flash", "FLASH"));
  EXPECT_FALSE(finds("fgx", "flash_gemm_fp8"));
  EXPECT_FALSE(finds("hsalf", "flash"));
  EXPECT_FALSE(finds("aa", "a"));
  EXPECT_TRUE(finds("é漢", "Éx漢"));
}

TEST(FuzzyMatch, MatchesWordsInAnyOrder) {
  EXPECT_TRUE(finds("fp8 gemm", "flash_gemm_fp8"));
  EXPECT_TRUE(finds("  fp8   gemm  ", "flash_gemm_fp8"));
  EXPECT_FALSE(finds("fp8 norm", "flash_gemm_fp8"));
  EXPECT_EQ(positions("b a", "a b"), (std::vector<int>{0, 2}));
  EXPECT_EQ(positions("ab abc", "abc"), (std::vector<int>{0, 1, 2}));
}

TEST(FuzzyMatch, PrefersTheBestMatch) {
  // Not the first matching letters.
  EXPECT_EQ(positions("gemm", "sm90_gem_marlin_gemm"), (std::vector<int>{16, 17, 18, 19}));
  EXPECT_EQ(positions("op", "stop: open"), (std::vector<int>{6, 7}));
  EXPECT_EQ(positions("fg", "ffgg_gemm"), (std::vector<int>{0, 5}));
}

TEST(FuzzyMatch, ScoresWordStartsAndRunsHigher) {
  EXPECT_GT(score("gf", "gemm_fp8"), score("gf", "gemmxfp8"));
  EXPECT_GT(score("gf", "gemmFused"), score("gf", "gemmfused"));
  EXPECT_GT(score("norm", "layer_norm"), score("norm", "nxoxrxm"));
  EXPECT_GT(score("norm", "norm_layer"), score("norm", "layer_norm"));
  EXPECT_GT(score("s7", "stream 7"), score("s7", "stream 17"));
  EXPECT_GT(score("ab", "axb"), score("ab", "axxxxb"));
  EXPECT_EQ(score("ab",
                  "a"
                  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                  "b"),
            score("ab",
                  "a"
                  "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                  "b"));
}

// All possible matches, for short texts.
int best_of_all(const QString& word, const FuzzyText& text, qsizetype i, qsizetype from) {
  int best = -1'000'000;
  for (qsizetype at = from; at < text.folded.size(); ++at) {
    if (text.folded[at] != word[i]) continue;
    const int gap = static_cast<int>(at - from);
    int points = 16 + (text.is_start[static_cast<std::size_t>(at)] ? 12 : 0) + (at == 0 ? 8 : 0);
    if (i > 0) points += gap == 0 ? 14 : -3 - std::min(gap, 12);
    const int rest = i + 1 == word.size() ? 0 : best_of_all(word, text, i + 1, at + 1);
    best = std::max(best, points + rest);
  }
  return best;
}

TEST(FuzzyMatch, FindsTheOptimalMatch) {
  QRandomGenerator random(17);
  const QString letters = QStringLiteral("abA_ ");
  const auto any = [&](int length) {
    QString text;
    while (text.size() < length) text += letters[random.bounded(5)];
    return text;
  };
  int found = 0;
  for (int round = 0; round < 3000; ++round) {
    const FuzzyText text(any(random.bounded(1, 26)));
    const QString word = any(random.bounded(1, 5)).remove(u' ').toLower();
    if (word.isEmpty()) continue;
    const FuzzyQuery query(word);
    const auto match = query.best_match(text);
    const int expected = best_of_all(word, text, 0, 0);
    ASSERT_EQ(match.has_value(), expected > 0) << word.toStdString();
    ASSERT_EQ(query.quick_score(text).has_value(), expected > 0);
    if (!match) continue;
    ++found;
    EXPECT_EQ(match->score, expected) << word.toStdString() << " in " << text.folded.toStdString();
    EXPECT_LE(*query.quick_score(text), expected);
    QString spelled;
    for (const int at : match->positions) spelled += text.folded[at];
    EXPECT_EQ(spelled, word);
  }
  EXPECT_GT(found, 500);
}

class PaletteModelTest : public ::testing::Test {
 protected:
  void set(const std::vector<const char*>& texts) {
    std::vector<PaletteEntry> entries;
    for (const char* text : texts) {
      const QString name = QString::fromUtf8(text);
      entries.push_back({name, {}, QStringLiteral("Kernel"), [this, name] { ran = name; }});
    }
    model.set_entries(std::move(entries));
  }
  QStringList shown() const {
    QStringList texts;
    for (int i = 0; i < model.rowCount(); ++i) texts << model.index(i).data().toString();
    return texts;
  }

  PaletteModel model;
  QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::Fatal};
  QString ran;
};

TEST_F(PaletteModelTest, TheBestComesFirst) {
  set({"layer_gap", "gemm_fp8", "open", "layer_open", "op_end"});
  EXPECT_EQ(shown().front(), QStringLiteral("layer_gap")) << "nothing typed: given order";
  model.set_query(QStringLiteral("op"));
  EXPECT_EQ(shown(), (QStringList{"open", "op_end", "layer_open"}));
  EXPECT_EQ(model.index(2).data(PaletteModel::kFoundRole).value<QList<int>>(), (QList<int>{6, 7}));
  EXPECT_EQ(model.index(0).data(PaletteModel::kKindRole), QStringLiteral("Kernel"));
  model.action(1)();
  EXPECT_EQ(ran, QStringLiteral("op_end"));
  model.set_query(QStringLiteral("opx"));
  EXPECT_EQ(model.rowCount(), 0);
  EXPECT_FALSE(model.action(0));
  EXPECT_FALSE(model.action(-1));
}

TEST_F(PaletteModelTest, IncrementalTypingEqualsFreshSearch) {
  QRandomGenerator random(23);
  std::vector<QByteArray> names;
  for (int i = 0; i < 400; ++i) {
    QByteArray name;
    for (int n = random.bounded(1, 20); n > 0; --n) name += "abc_ "[random.bounded(5)];
    names.push_back(name);
  }
  std::vector<const char*> texts;
  for (const QByteArray& name : names) texts.push_back(name.constData());
  set(texts);
  QString typed;
  for (int step = 0; step < 300; ++step) {
    if (random.bounded(3) == 0)
      typed.chop(1);
    else
      typed += QLatin1Char("abc "[random.bounded(4)]);
    if (typed.size() > 6) typed.clear();
    model.set_query(typed);
    PaletteModel fresh;
    std::vector<PaletteEntry> entries;
    for (const char* text : texts) entries.push_back({QString::fromUtf8(text), {}, {}, {}});
    fresh.set_entries(std::move(entries));
    fresh.set_query(typed);
    ASSERT_EQ(model.rowCount(), fresh.rowCount()) << typed.toStdString();
    ASSERT_EQ(model.found_count(), fresh.found_count()) << typed.toStdString();
    for (int i = 0; i < fresh.rowCount(); ++i) {
      ASSERT_EQ(model.index(i).data(), fresh.index(i).data()) << typed.toStdString();
    }
  }
}

TEST_F(PaletteModelTest, AcceptsUnusualNames) {
  const QByteArray endless(100'000, 'a');
  set({"", " ", "\n\t", endless.constData(), "\xff\xfe", "<b>x</b>"});
  for (const char* typed : {"a", "aaaaaaaaaaaaaaaaaaaaaaaaa", "<b>", "\n", "\xff"}) {
    model.set_query(QString::fromUtf8(typed));
  }
  model.set_query(QString(100'000, u'a'));
  EXPECT_EQ(model.rowCount(), 1);
  EXPECT_EQ(model.index(0).data().toString().size(), 100'000);
}

TEST_F(PaletteModelTest, SearchesManyEntriesFast) {
  std::vector<PaletteEntry> entries;
  for (int i = 0; i < 100'000; ++i) {
    entries.push_back(
        {QStringLiteral("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize%1x%2_cublas")
             .arg(i % 512)
             .arg(i),
         {},
         {},
         {}});
  }
  model.set_entries(std::move(entries));
  EXPECT_EQ(model.rowCount(), PaletteModel::kMaxShown);
  // Measured in thread CPU time, so that a busy machine does not fail the test; a benchmark has the
  // numbers.
  double longest_ms = 0;
  QString typed;
  for (const char letter : std::string("gemm bf16 tile7")) {
    typed += QLatin1Char(letter);
    timespec from{};
    timespec to{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    model.set_query(typed);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    longest_ms = std::max(longest_ms, static_cast<double>(to.tv_sec - from.tv_sec) * 1e3 +
                                          static_cast<double>(to.tv_nsec - from.tv_nsec) * 1e-6);
    EXPECT_EQ(model.rowCount(), PaletteModel::kMaxShown) << typed.toStdString();
  }
  RecordProperty("longest_ms", static_cast<int>(longest_ms));
  std::printf("longest key stroke: %.1f ms\n", longest_ms);
  EXPECT_LT(longest_ms, 500);
}

class RunEntries : public ::testing::Test {
 protected:
  void run(const char* kind, const char* text) {
    for (const PaletteEntry& entry : entries_of(selection)) {
      if (entry.kind == QString::fromUtf8(kind) && entry.text.contains(QString::fromUtf8(text))) {
        return entry.run();
      }
    }
    FAIL() << "no " << kind << " " << text;
  }
  static analysis::RunAnalysis read(const char* name) {
    const std::filesystem::path folder = MANSARD_SOURCE_FOLDER "/examples/h200";
    return load_run(folder / name, {folder / "machine.json"});
  }

  SelectionModel selection;
};

TEST_F(RunEntries, AreEmptyWithoutARun) { EXPECT_TRUE(entries_of(selection).empty()); }

TEST_F(RunEntries, SelectAndFilter) {
  const auto open = prepare_run(read("h200_layer_bf16.sqlite"));
  selection.set_run(open);
  const std::vector<analysis::KernelRow>& rows = open->analysis.rows;
  ASSERT_GT(rows.size(), 2u);
  const auto entries = entries_of(selection);
  EXPECT_EQ(std::ranges::count(entries, QStringLiteral("Kernel"), &PaletteEntry::kind),
            static_cast<std::ptrdiff_t>(rows.size()));
  entries[2].run();  // kernels come first, by time
  EXPECT_EQ(selection.selected(), 2u);

  run("Class", rows[0].operation_class.name().c_str());
  EXPECT_EQ(selection.filter().operation_class,
            QString::fromStdString(rows[0].operation_class.name()));
  run("Stream", "stream");
  ASSERT_TRUE(selection.filter().stream);
  EXPECT_EQ(*selection.filter().stream, open->launches.streams.front());
  EXPECT_FALSE(selection.filter().operation_class.isEmpty()) << "the other parts stay";

  selection.set_filter({});
  std::size_t ranges_with_launches = 0;
  for (const PaletteEntry& entry : entries_of(selection)) {
    if (entry.kind != QStringLiteral("Range")) continue;
    entry.run();
    EXPECT_EQ(selection.filter().range, entry.text);
    ranges_with_launches += selection.shown()->total_launches > 0 ? 1 : 0;
  }
  EXPECT_GT(ranges_with_launches, 0u);
}

TEST_F(RunEntries, ReportHowManyRangesAreLeftOut) {
  const auto run_with = [](std::size_t ranges) {
    auto run = std::make_shared<OpenRun>();
    run->timeline.classes = {std::string(figure::kRangeClass)};
    for (std::size_t i = 0; i < ranges; ++i) {
      run->timeline.names.push_back({"request " + std::to_string(i), 0, -1});
    }
    return run;
  };
  const auto all = run_with(20'000);
  selection.set_run(all);
  EXPECT_EQ(entries_of(selection).size(), 20'000u);
  const auto more = run_with(21'234);
  selection.set_run(more);
  const auto entries = entries_of(selection);
  ASSERT_EQ(entries.size(), 20'001u);
  EXPECT_EQ(entries[19'999].text, QStringLiteral("request 19999"));
  EXPECT_TRUE(entries.back().text.contains(QStringLiteral("1234 more")));
}

TEST_F(RunEntries, DoNothingForAClosedRun) {
  selection.set_run(prepare_run(*testing::training_run()));
  const auto old = entries_of(selection);
  ASSERT_FALSE(old.empty());
  selection.set_run(prepare_run(*testing::training_run()));
  for (const PaletteEntry& entry : old) entry.run();
  EXPECT_FALSE(selection.selected());
  EXPECT_TRUE(selection.filter().passes_all());
  std::vector<PaletteEntry> orphans;
  {
    SelectionModel gone;
    gone.set_run(prepare_run(*testing::training_run()));
    orphans = entries_of(gone);
  }
  for (const PaletteEntry& entry : orphans) entry.run();
}

}  // namespace
}  // namespace mansard::gui
