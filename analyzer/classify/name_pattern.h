// SPDX-License-Identifier: Apache-2.0
// A pattern of words that a kernel's name must hold, in this order. A word begins and ends at the
// edge of a word in the name, unless a `*` there lifts that: `gemm` is in "DeviceGemmFp4" and
// "gemm_bf16", but neither in "gemmini" nor in "sgemm", which `*gemm` matches.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mansard::analysis {

// A name prepared for many patterns.
class PatternSubject {
 public:
  explicit PatternSubject(std::string_view name);

  // Names are words joined by anything that is no letter, or by a change of case: an edge lies
  // between the letters of `kernelName`, `LNForward` (after LN), `fp8x` (around 8) and `a_b`.
  bool is_edge(std::size_t position) const;
  std::string_view lower() const { return lower_; }

 private:
  friend class NamePattern;
  // Which three-character sequences the name contains, hashed. Where a pattern has one that the
  // name lacks, it cannot match; that decides nearly all patterns without a search.
  static constexpr std::size_t kTrigrams = 4096;

  std::string_view name_;
  std::string lower_;
  std::bitset<kTrigrams> trigrams_;
};

class NamePattern {
 public:
  // Empty when `text` holds nothing but blanks and stars.
  explicit NamePattern(std::string_view text);

  bool empty() const { return pieces_.empty(); }
  const std::string& text() const { return text_; }
  bool matches(const PatternSubject& subject) const;

  // A shortest name that it matches and that holds no words beside: to find patterns that an
  // earlier one always catches.
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
