// SPDX-License-Identifier: Apache-2.0
// From a kernel's name to what it does, in which precision, in which pass and out of which library.
// The rules are data, in kernels.rules beside this file, which also explains their format.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/classify/name_pattern.h"
#include "analyzer/classify/operation_class.h"
#include "kernels/vocabulary/precision.h"

namespace mansard::analysis {

struct KernelClass {
  OperationClass operation_class = kOtherClass;
  std::optional<Precision> precision;
  std::string_view library;  // "" where the name tells none; lives as long as the rules
  std::string_view pass;     // "forward", "backward" or ""
};

class KernelRules {
 public:
  // Throws std::runtime_error naming `file` and the line that is wrong, and how.
  static KernelRules parse(std::string_view text, std::string_view file);

  // Looks at the rules of `later` where none of these matches.
  void append(const KernelRules& later);

  KernelClass classify(std::string_view kernel_name) const;

  // In the order of their first rule, kOtherClass last.
  const std::vector<std::string>& operation_classes() const { return classes_.names; }
  bool is_operation_class(OperationClass name) const;

  // Patterns that an earlier rule always catches: rules that decide nothing.
  std::vector<std::string> shadowed_patterns() const;

 private:
  // What a name is told by: the first of an ordered list of patterns decides.
  struct Rule {
    std::size_t value;  // into names
    std::optional<Precision> precision;
    NamePattern pattern;
  };
  struct Question {
    std::vector<Rule> rules;
    std::vector<std::string> names;

    void add(std::string_view name, std::optional<Precision> precision, NamePattern pattern);
    const Rule* answer(const PatternSubject& subject) const;
    std::string_view name(const Rule* rule) const;
  };

  void put_other_last();

  Question classes_;
  Question libraries_;
  Question passes_;
};

// The built-in rules.
const KernelRules& kernel_rules();

// The rules of a file, and behind them the built-in ones. Throws std::runtime_error when the file
// cannot be read, or as parse() does.
KernelRules load_kernel_rules(const std::filesystem::path& file);

}  // namespace mansard::analysis
