// SPDX-License-Identifier: Apache-2.0
// Fuzzy matching: how well letters typed in order match a text: "fgf8" finds "flash_gemm_fp8".
#pragma once

#include <QString>
#include <QStringView>
#include <optional>
#include <vector>

namespace mansard::gui {

// A text to search in, limited to its first kMaxLength characters and prepared once.
struct FuzzyText {
  static constexpr qsizetype kMaxLength = 256;

  explicit FuzzyText(const QString& text);

  QString folded;              // lower case, character by character
  std::vector<bool> is_start;  // start of a word: after a separator, or "B" in "aB"
  quint64 letters = 0;         // bit set of the characters that occur in it
};

// The typed words. Each must match on its own, in any order.
class FuzzyQuery {
 public:
  static constexpr qsizetype kMaxLength = 64;

  explicit FuzzyQuery(const QString& typed);
  bool is_empty() const { return words_.empty(); }
  // Whether every match of this query also matches `before`.
  bool narrows(const FuzzyQuery& before) const;

  // Score of a good, not always the best, match; empty if there is none. Linear in the text's
  // length.
  std::optional<int> quick_score(const FuzzyText& text) const;

  struct Match {
    int score = 0;
    std::vector<int> positions;  // of the matched characters, ascending
  };
  // The best match. Time is proportional to the product of both lengths.
  std::optional<Match> best_match(const FuzzyText& text) const;

 private:
  struct Word {
    QString folded;
    quint64 letters = 0;
  };
  std::vector<Word> words_;
};

}  // namespace mansard::gui
