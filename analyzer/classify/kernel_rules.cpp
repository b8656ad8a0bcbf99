// SPDX-License-Identifier: Apache-2.0
#include "analyzer/classify/kernel_rules.h"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include "cmake/embedded_file.h"

namespace mansard {

std::span<const EmbeddedFile> classification_rule_files();  // generated

namespace {

constexpr std::string_view kBlank = " \t\r";

char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
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

// Takes the next word off `line`.
std::string_view take_word(std::string_view& line) {
  const std::size_t begin = line.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return line = {};
  const std::size_t end = std::min(line.find_first_of(kBlank, begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::vector<std::string> split_pieces(std::string_view pattern) {
  std::vector<std::string> pieces;
  while (!pattern.empty()) {
    const std::size_t star = std::min(pattern.find('*'), pattern.size());
    if (star > 0) pieces.push_back(lower(pattern.substr(0, star)));
    pattern.remove_prefix(std::min(star + 1, pattern.size()));
  }
  return pieces;
}

}  // namespace

void KernelRules::append_trigrams(std::string_view text, std::vector<std::uint16_t>& out) {
  for (std::size_t i = 0; i + 3 <= text.size(); ++i) out.push_back(trigram(text.data() + i));
}

KernelRules::Trigrams KernelRules::trigrams_of(std::string_view text) {
  Trigrams trigrams;
  for (std::size_t i = 0; i + 3 <= text.size(); ++i) trigrams.set(trigram(text.data() + i));
  return trigrams;
}

KernelRules KernelRules::parse(std::string_view text, std::string_view file) {
  KernelRules out;
  int line_number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_number;
    if (line.empty() || line.front() == '#') continue;

    const auto fail = [&](const std::string& what) {
      throw std::runtime_error("classification rules " + std::string(file) + ", line " +
                               std::to_string(line_number) + ": " + what +
                               "; a rule is `class precision|- pattern`");
    };
    const std::string_view operation_class = take_word(line);
    const std::string_view precision = take_word(line);
    Rule rule;
    rule.pieces = split_pieces(trim(line));
    if (rule.pieces.empty()) fail("the pattern is missing");
    if (precision != "-") {
      rule.precision = parse_precision(precision);
      if (!rule.precision) fail("unknown precision '" + std::string(precision) + "'");
    }
    for (const std::string& piece : rule.pieces) append_trigrams(piece, rule.trigrams);
    const auto known = std::find(out.classes_.begin(), out.classes_.end(), operation_class);
    rule.operation_class = static_cast<std::size_t>(known - out.classes_.begin());
    if (known == out.classes_.end()) out.classes_.emplace_back(operation_class);
    out.rules_.push_back(std::move(rule));
  }
  std::erase(out.classes_, kOther);
  out.classes_.emplace_back(kOther);
  return out;
}

bool KernelRules::matches(const Rule& rule, std::string_view lower_name, const Trigrams& trigrams) {
  for (const std::uint16_t t : rule.trigrams) {
    if (!trigrams[t]) return false;
  }
  std::size_t position = 0;
  for (const std::string& piece : rule.pieces) {
    position = lower_name.find(piece, position);
    if (position == std::string_view::npos) return false;
    position += piece.size();
  }
  return true;
}

KernelClass KernelRules::classify(std::string_view kernel_name) const {
  const std::string name = lower(kernel_name);
  const Trigrams trigrams = trigrams_of(name);
  for (const Rule& rule : rules_) {
    if (matches(rule, name, trigrams)) return {classes_[rule.operation_class], rule.precision};
  }
  return {classes_.back(), std::nullopt};
}

bool KernelRules::is_operation_class(std::string_view name) const {
  return std::find(classes_.begin(), classes_.end(), name) != classes_.end();
}

std::vector<std::string> KernelRules::shadowed_patterns() const {
  std::vector<std::string> shadowed;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    // The shortest name that the rule matches; '|' stands in for what a star may cover.
    std::string name;
    for (const std::string& piece : rules_[i].pieces) name += (name.empty() ? "" : "|") + piece;
    const bool caught =
        std::any_of(rules_.begin(), rules_.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const Rule& earlier) { return matches(earlier, name, trigrams_of(name)); });
    if (caught) shadowed.push_back(name);
  }
  return shadowed;
}

const KernelRules& kernel_rules() {
  static const KernelRules rules = [] {
    const std::span<const EmbeddedFile> files = classification_rule_files();
    if (files.size() != 1) throw std::logic_error("exactly one file of rules must be embedded");
    return KernelRules::parse(files.front().content, files.front().name);
  }();
  return rules;
}

}  // namespace mansard
