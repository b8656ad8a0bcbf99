// SPDX-License-Identifier: Apache-2.0
// Classifies kernels by name: operation class, precision, pass and library. The rules and a
// description of their format are in kernels.rules, in this directory.
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
  std::string_view library;  // "": unknown; valid as long as the rules
  std::string_view pass;     // "forward", "backward" or ""
};

class KernelRules {
 public:
  // Throws std::runtime_error with `file`, the line number and the error.
  static KernelRules parse(std::string_view text, std::string_view file);

  // Appends the rules of `later`, which apply if none of these matches.
  void append(const KernelRules& later);

  KernelClass classify(std::string_view kernel_name) const;

  // Sorted by first rule, kOtherClass last.
  const std::vector<std::string>& operation_classes() const { return classes_.names; }
  bool is_operation_class(OperationClass name) const;

  // Patterns of rules without effect, because an earlier rule matches everything they match.
  std::vector<std::string> shadowed_patterns() const;

 private:
  // An ordered list of patterns; the first match decides.
  struct Rule {
    std::size_t value;  // index into names
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

// The rules of a file, followed by the built-in ones. Throws std::runtime_error if the file cannot
// be read, and like parse().
KernelRules load_kernel_rules(const std::filesystem::path& file);

}  // namespace mansard::analysis
