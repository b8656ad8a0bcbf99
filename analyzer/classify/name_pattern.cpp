// SPDX-License-Identifier: Apache-2.0
#include "analyzer/classify/name_pattern.h"

#include <algorithm>

namespace mansard::analysis {

namespace {

constexpr std::string_view kPatternBlank = " \t\r";

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
char to_lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), to_lower);
  return out;
}

std::uint16_t trigram(const char* text) {
  const auto byte = [&](int i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t key = byte(0) | byte(1) << 8 | byte(2) << 16;
  return static_cast<std::uint16_t>((key * 2654435761u) >> 20);  // 12 bits
}

}  // namespace

PatternSubject::PatternSubject(std::string_view name) : name_(name), lower_(lower_case(name)) {
  for (std::size_t i = 0; i + 3 <= lower_.size(); ++i) trigrams_.set(trigram(lower_.data() + i));
}

bool PatternSubject::is_edge(std::size_t position) const {
  if (position == 0 || position >= name_.size()) return true;
  const char before = name_[position - 1];
  const char after = name_[position];
  if (is_lower(before)) return !is_lower(after);
  if (!is_upper(before)) return true;
  if (!is_upper(after)) return !is_lower(after);
  // The last of several capitals belongs to the next word: RMS|Norm, SGD|Functor.
  return position + 1 < name_.size() && is_lower(name_[position + 1]);
}

NamePattern::NamePattern(std::string_view text) : text_(text) {
  while (true) {
    const std::size_t begin = text.find_first_not_of(kPatternBlank);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(kPatternBlank, begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    text.remove_prefix(end);
    bool edge_before = true;
    while (!word.empty()) {
      const std::size_t star = std::min(word.find('*'), word.size());
      const bool at_end = star == word.size();
      if (star > 0) pieces_.push_back({lower_case(word.substr(0, star)), edge_before, at_end});
      edge_before = false;
      word.remove_prefix(at_end ? star : star + 1);
    }
  }
  for (const Piece& piece : pieces_) {
    for (std::size_t i = 0; i + 3 <= piece.lower.size(); ++i) {
      trigrams_.push_back(trigram(piece.lower.data() + i));
    }
  }
}

bool NamePattern::matches(const PatternSubject& subject) const {
  for (const std::uint16_t t : trigrams_) {
    if (!subject.trigrams_[t]) return false;
  }
  const std::string_view name = subject.lower();
  std::size_t position = 0;
  for (const Piece& piece : pieces_) {
    while (true) {
      position = name.find(piece.lower, position);
      if (position == std::string_view::npos) return false;
      const std::size_t end = position + piece.lower.size();
      if ((!piece.edge_before || subject.is_edge(position)) &&
          (!piece.edge_after || subject.is_edge(end))) {
        position = end;
        break;
      }
      ++position;
    }
  }
  return true;
}

std::string NamePattern::example() const {
  std::string name;
  for (const Piece& piece : pieces_) {
    if (!name.empty()) name += ' ';
    // Adds letters on both sides, which patterns of whole words do not match.
    if (!piece.edge_before) name += 'x';
    name += piece.lower;
    if (!piece.edge_after) name += 'x';
  }
  return name;
}

}  // namespace mansard::analysis
