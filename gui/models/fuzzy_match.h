// SPDX-License-Identifier: Apache-2.0
// How well a few letters, typed in order, name a text: "fgf8" finds "flash_gemm_fp8".
#pragma once

#include <QString>
#include <QStringView>
#include <optional>
#include <vector>

namespace mansard::gui {

// What is searched in: the first kMaxLength characters of a text, prepared once.
struct FuzzyText {
  static constexpr qsizetype kMaxLength = 256;

  explicit FuzzyText(const QString& text);

  QString folded;              // lower case, character by character
  std::vector<bool> is_start;  // of a word: after a separator, a capital after a small letter
  quint64 letters = 0;         // a bit for each kind of character in it
};

// Words of what is typed, each of which has to be found on its own, in any order.
class FuzzyQuery {
 public:
  static constexpr qsizetype kMaxLength = 64;

  explicit FuzzyQuery(const QString& typed);
  bool is_empty() const { return words_.empty(); }
  // Whatever this query finds, `before` found as well.
  bool narrows(const FuzzyQuery& before) const;

  // Of a good, not always the best, way to find it; none: it is not found. Time grows with the
  // text's length only.
  std::optional<int> quick_score(const FuzzyText& text) const;

  struct Match {
    int score = 0;
    std::vector<int> positions;  // of the characters found, ascending
  };
  // Of the best way. Time grows with the lengths of both.
  std::optional<Match> best_match(const FuzzyText& text) const;

 private:
  struct Word {
    QString folded;
    quint64 letters = 0;
  };
  std::vector<Word> words_;
};

}  // namespace mansard::gui
