// SPDX-License-Identifier: Apache-2.0
// A pattern of words that a kernel name must contain in this order. A pattern word must start and
// end at a word boundary of the name, unless it has a `*` there: `gemm` matches "DeviceGemmFp4" and
// "gemm_bf16", but not "gemmini" or "sgemm"; `*gemm` matches "sgemm".
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mansard::analysis {

// A name, prepared for matching many patterns.
class PatternSubject {
 public:
  explicit PatternSubject(std::string_view name);

  // Whether a word boundary precedes `position`: at non-letters and changes of case, as in
  // `kernel|Name`, `LN|Forward`, `fp|8|x` and `a|_|b`.
  bool is_edge(std::size_t position) const;
  std::string_view lower() const { return lower_; }

 private:
  friend class NamePattern;
  // Hashed set of the name's three-character sequences. A pattern with a sequence that the name
  // lacks cannot match; this rejects nearly all patterns without a search.
  static constexpr std::size_t kTrigrams = 4096;

  std::string_view name_;
  std::string lower_;
  std::bitset<kTrigrams> trigrams_;
};

class NamePattern {
 public:
  // Empty if `text` has only blanks and stars.
  explicit NamePattern(std::string_view text);

  bool empty() const { return pieces_.empty(); }
  const std::string& text() const { return text_; }
  bool matches(const PatternSubject& subject) const;

  // A shortest matching name without other words: used to find patterns that an earlier one always
  // matches.
  std::string example() const;

 private:
  struct Piece {
    std::string lower;
    bool edge_before = true;
    bool edge_after = true;
  };

  std::string text_;
  std::vector<Piece> pieces_;
  std::vector<std::uint16_t> trigrams_;  // of the pieces
};

}  // namespace mansard::analysis
