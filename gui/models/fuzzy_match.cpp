// SPDX-License-Identifier: Apache-2.0
#include "gui/models/fuzzy_match.h"

#include <QStringList>
#include <algorithm>
#include <limits>

namespace mansard::gui {
namespace {

// Score of each matched character. Gaps cost little, so that typed letters may be far apart;
// consecutive letters and starts of words score more, because people remember those.
constexpr int kFound = 16;
constexpr int kAtStart = 12;   // of a word
constexpr int kAtBegin = 8;    // start of the text: more than the start of a word
constexpr int kInRun = 14;     // directly after the previous character
constexpr int kGap = 3;        // opening a gap
constexpr int kGapLength = 1;  // per skipped character, up to kMaxGap
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

// The match of `word` taken greedily from `start`, or none.
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

// The match of `word` as a substring, preferably at the start of a word.
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

// The best match of a word, by dynamic programming: ways_[i * length_ + j] is the best match of its
// first i+1 characters that ends at j.
class BestWay {
 public:
  BestWay(const FuzzyText& text, const QString& word)
      : length_(static_cast<std::size_t>(text.folded.size())),
        ways_(static_cast<std::size_t>(word.size()) * length_) {
    for (qsizetype i = 0; i < word.size(); ++i) fill(text, word[i], static_cast<std::size_t>(i));
  }

  int score() const { return std::max_element(last_row(), ways_.end())->score; }

  void add_positions(std::vector<int>& positions) const {
    auto way = std::max_element(last_row(), ways_.end());
    for (std::size_t row = ways_.size() - length_;; row -= length_) {
      positions.push_back(static_cast<int>(static_cast<std::size_t>(way - ways_.begin()) - row));
      if (row == 0) return;
      way = ways_.begin() + static_cast<std::ptrdiff_t>(row - length_) + way->from;
    }
  }

 private:
  struct Way {
    int score = kNever;
    int from = -1;  // position of the previous character
    auto operator<=>(const Way&) const = default;
    Way plus(int points) const { return {score + points, from}; }
  };

  std::vector<Way>::const_iterator last_row() const {
    return ways_.end() - static_cast<std::ptrdiff_t>(length_);
  }

  void fill(const FuzzyText& text, QChar character, std::size_t i) {
    Way near;  // gap shorter than kMaxGap: its cost grows with its length
    Way far;   // gap longer than kMaxGap: constant cost
    for (std::size_t j = i; j < length_; ++j) {
      Way before{0, -1};
      if (i > 0) {
        const Way* const row = &ways_[(i - 1) * length_];
        near = near.plus(-kGapLength);
        if (j > 1) {
          const Way gap{row[j - 2].score - kGap, static_cast<int>(j) - 2};
          near = std::max(near, gap.plus(-kGapLength));
          far = std::max(far, gap.plus(-kGapLength * kMaxGap));
        }
        before = std::max({near, far, Way{row[j - 1].score + kInRun, static_cast<int>(j) - 1}});
      }
      const auto at = static_cast<qsizetype>(j);
      if (text.folded[at] == character) {
        ways_[i * length_ + j] = before.plus(points_at(text, at));
      }
    }
  }

  std::size_t length_;
  std::vector<Way> ways_;
};

// Not QString::toLower(), which may change the length of a text.
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
  // Words may share characters.
  match.positions.erase(std::unique(match.positions.begin(), match.positions.end()),
                        match.positions.end());
  return match;
}

}  // namespace mansard::gui
