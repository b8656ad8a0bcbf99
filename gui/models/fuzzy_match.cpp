// SPDX-License-Identifier: Apache-2.0
#include "gui/models/fuzzy_match.h"

#include <QStringList>
#include <algorithm>
#include <limits>

namespace mansard::gui {
namespace {

// Points of a character found. A gap costs little, so that what is typed may lie far apart, but a
// run and the starts of words, which is what people remember, are worth more.
constexpr int kFound = 16;
constexpr int kAtStart = 12;   // of a word
constexpr int kAtBegin = 8;    // of the text, more than of a word
constexpr int kInRun = 14;     // right after the one before
constexpr int kGap = 3;        // to open one
constexpr int kGapLength = 1;  // for each character of it, up to kMaxGap
constexpr int kMaxGap = 12;
constexpr int kNever = std::numeric_limits<int>::min() / 2;

quint64 bit_of(QChar c) { return quint64{1} << (c.unicode() % 64); }

int points_at(const FuzzyText& text, qsizetype at) {
  return kFound + (text.is_start[static_cast<std::size_t>(at)] ? kAtStart : 0) +
         (at == 0 ? kAtBegin : 0);
}

int points_between(qsizetype before, qsizetype at) {
  const int gap = static_cast<int>(at - before) - 1;
  return gap == 0 ? kInRun : -kGap - kGapLength * std::min(gap, kMaxGap);
}

// Of `word` found one character after the other from `start`, or none.
std::optional<int> score_from(const FuzzyText& text, const QString& word, qsizetype start) {
  int score = points_at(text, start);
  qsizetype before = start;
  for (qsizetype i = 1; i < word.size(); ++i) {
    const qsizetype at = text.folded.indexOf(word[i], before + 1);
    if (at < 0) return std::nullopt;
    score += points_at(text, at) + points_between(before, at);
    before = at;
  }
  return score;
}

// Of `word` as it stands in the text, at the start of a word if it does so anywhere.
int score_whole(const FuzzyText& text, const QString& word) {
  int best = kNever;
  for (qsizetype at = text.folded.indexOf(word); at >= 0; at = text.folded.indexOf(word, at + 1)) {
    int score = (static_cast<int>(word.size()) - 1) * kInRun;
    for (qsizetype i = 0; i < word.size(); ++i) score += points_at(text, at + i);
    best = std::max(best, score);
    if (text.is_start[static_cast<std::size_t>(at)]) break;
  }
  return best;
}

std::optional<int> quick_score_of(const FuzzyText& text, const QString& word) {
  const qsizetype first = text.folded.indexOf(word.front());
  if (first < 0) return std::nullopt;
  const std::optional<int> spread = score_from(text, word, first);
  if (!spread) return std::nullopt;
  return std::max(*spread, score_whole(text, word));
}

// The best way to find `word`, by dynamic programming: best[i][j], the most points of its first i+1
// characters with the last of them found at j.
class BestWay {
 public:
  BestWay(const FuzzyText& text, const QString& word)
      : text_(text),
        word_(word),
        length_(static_cast<std::size_t>(text.folded.size())),
        best_(static_cast<std::size_t>(word.size()) * length_, kNever),
        from_(best_.size(), -1) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(word.size()); ++i) fill(i);
  }

  int score() const { return *std::max_element(last_row(), best_.end()); }

  void add_positions(std::vector<int>& positions) const {
    auto at = static_cast<int>(std::max_element(last_row(), best_.end()) - last_row());
    for (std::size_t i = static_cast<std::size_t>(word_.size()); i-- > 0;) {
      positions.push_back(at);
      at = from_[i * length_ + static_cast<std::size_t>(at)];
    }
  }

 private:
  std::vector<int>::const_iterator last_row() const {
    return best_.end() - static_cast<std::ptrdiff_t>(length_);
  }

  void fill(std::size_t i) {
    // The best predecessor so far away that the length of the gap counts no more.
    int far = kNever;
    int far_from = -1;
    for (std::size_t j = i; j < length_; ++j) {
      if (i > 0 && j > kMaxGap + 1) {
        const std::size_t k = j - kMaxGap - 2;
        if (best_[(i - 1) * length_ + k] > far) {
          far = best_[(i - 1) * length_ + k];
          far_from = static_cast<int>(k);
        }
      }
      if (text_.folded[static_cast<qsizetype>(j)] != word_[static_cast<qsizetype>(i)]) continue;
      const int points = points_at(text_, static_cast<qsizetype>(j));
      int& best = best_[i * length_ + j];
      int& from = from_[i * length_ + j];
      if (i == 0) {
        best = points;
        continue;
      }
      if (far > kNever) {
        best = far + points - kGap - kGapLength * kMaxGap;
        from = far_from;
      }
      for (std::size_t k = j - 1; k + kMaxGap + 1 >= j; --k) {
        const int before = best_[(i - 1) * length_ + k];
        const int score =
            before + points + points_between(static_cast<qsizetype>(k), static_cast<qsizetype>(j));
        if (before > kNever && score > best) {
          best = score;
          from = static_cast<int>(k);
        }
        if (k == 0) break;
      }
    }
  }

  const FuzzyText& text_;
  const QString& word_;
  std::size_t length_;
  std::vector<int> best_;
  std::vector<int> from_;
};

// Not QString::toLower(), which may change a text's length.
QString fold(QString text) {
  for (QChar& c : text) c = c.toLower();
  return text;
}

}  // namespace

FuzzyText::FuzzyText(const QString& text) : folded(fold(text.left(kMaxLength))) {
  is_start.resize(static_cast<std::size_t>(folded.size()));
  for (qsizetype i = 0; i < folded.size(); ++i) {
    letters |= bit_of(folded[i]);
    const QChar c = text[i];
    const QChar before = i == 0 ? QChar(u' ') : text[i - 1];
    const bool after_separator = c.isLetterOrNumber() && !before.isLetterOrNumber();
    const bool capital = c.isUpper() && before.isLower();
    const bool number = c.isDigit() && before.isLetter();
    is_start[static_cast<std::size_t>(i)] = after_separator || capital || number;
  }
}

FuzzyQuery::FuzzyQuery(const QString& typed) {
  for (const QString& part : typed.left(kMaxLength).split(u' ', Qt::SkipEmptyParts)) {
    Word word{fold(part), 0};
    for (const QChar c : word.folded) word.letters |= bit_of(c);
    words_.push_back(word);
  }
}

bool FuzzyQuery::narrows(const FuzzyQuery& before) const {
  if (words_.size() < before.words_.size()) return false;
  for (std::size_t i = 0; i < before.words_.size(); ++i) {
    if (!words_[i].folded.startsWith(before.words_[i].folded)) return false;
  }
  return true;
}

std::optional<int> FuzzyQuery::quick_score(const FuzzyText& text) const {
  int score = 0;
  for (const Word& word : words_) {
    if ((word.letters & ~text.letters) != 0) return std::nullopt;
    const std::optional<int> found = quick_score_of(text, word.folded);
    if (!found) return std::nullopt;
    score += *found;
  }
  return score;
}

std::optional<FuzzyQuery::Match> FuzzyQuery::best_match(const FuzzyText& text) const {
  Match match;
  for (const Word& word : words_) {
    if (text.folded.size() < word.folded.size()) return std::nullopt;
    const BestWay way(text, word.folded);
    if (way.score() < 0) return std::nullopt;
    match.score += way.score();
    way.add_positions(match.positions);
  }
  std::ranges::sort(match.positions);
  const auto twice = std::ranges::unique(match.positions);  // words may share letters
  match.positions.erase(twice.begin(), twice.end());
  return match;
}

}  // namespace mansard::gui
