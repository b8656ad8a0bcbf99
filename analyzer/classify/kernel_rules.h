// SPDX-License-Identifier: Apache-2.0
// From a kernel's name to what it does and in which precision. The rules are data, in
// kernels.rules beside this file, which also explains their format.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/vocabulary/precision.h"

namespace mansard {

struct KernelClass {
  std::string_view operation_class;  // lives as long as the rules
  std::optional<Precision> precision;
};

class KernelRules {
 public:
  // Class of a name that no rule matches.
  static constexpr std::string_view kOther = "other";

  // Throws std::runtime_error naming `file` and the line that is wrong, and how.
  static KernelRules parse(std::string_view text, std::string_view file);

  KernelClass classify(std::string_view kernel_name) const;

  // In the order of their first rule, kOther last.
  const std::vector<std::string>& operation_classes() const { return classes_; }
  bool is_operation_class(std::string_view name) const;

  // Patterns that an earlier rule always catches: rules that decide nothing.
  std::vector<std::string> shadowed_patterns() const;

 private:
  // Which three-character sequences a text contains, hashed. Where a pattern has one that the name
  // lacks, the pattern cannot match; that decides nearly all rules without a search.
  using Trigrams = std::bitset<4096>;

  struct Rule {
    std::size_t operation_class;  // into classes_
    std::optional<Precision> precision;
    std::vector<std::string> pieces;      // lower case, in this order, anywhere in the name
    std::vector<std::uint16_t> trigrams;  // of the pieces
  };

  static Trigrams trigrams_of(std::string_view text);
  static void append_trigrams(std::string_view text, std::vector<std::uint16_t>& out);
  static bool matches(const Rule& rule, std::string_view lower_name, const Trigrams& trigrams);

  std::vector<Rule> rules_;
  std::vector<std::string> classes_;
};

// The built-in rules.
const KernelRules& kernel_rules();

}  // namespace mansard
