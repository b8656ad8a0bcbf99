// SPDX-License-Identifier: Apache-2.0
#include "analyzer/classify/kernel_rules.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>

#include "cmake/embedded_file.h"
#include "support/files.h"

namespace mansard::analysis {

std::span<const EmbeddedFile> classification_rule_files();  // generated

namespace {

constexpr std::string_view kBlank = " \t\r";

// Removes the next word from `line` and returns it.
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

// Names of classes and libraries are used as keys in files and as option values.
bool is_key(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::size_t index_of(std::vector<std::string>& names, std::string_view name) {
  const auto known = std::find(names.begin(), names.end(), name);
  if (known != names.end()) return static_cast<std::size_t>(known - names.begin());
  names.emplace_back(name);
  return names.size() - 1;
}

}  // namespace

void KernelRules::Question::add(std::string_view name, std::optional<Precision> precision,
                                NamePattern pattern) {
  rules.push_back({index_of(names, name), precision, std::move(pattern)});
}

const KernelRules::Rule* KernelRules::Question::answer(const PatternSubject& subject) const {
  for (const Rule& rule : rules) {
    if (rule.pattern.matches(subject)) return &rule;
  }
  return nullptr;
}

std::string_view KernelRules::Question::name(const Rule* rule) const {
  return rule == nullptr ? std::string_view() : std::string_view(names[rule->value]);
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
                               "; a rule is `class precision|- pattern`, `library name pattern` "
                               "or `pass forward|backward pattern`");
    };
    const std::string_view first = take_word(line);
    const std::string_view second = take_word(line);
    NamePattern pattern(trim(line));
    if (!is_key(first)) {
      fail("'" + std::string(first) +
           "' is not a valid class name: use lower-case letters, digits, - and _");
    }
    if (pattern.empty()) fail("the pattern is missing");
    if (first == "library") {
      if (!is_key(second)) fail("'" + std::string(second) + "' is not a valid library name");
      out.libraries_.add(second, {}, std::move(pattern));
    } else if (first == "pass") {
      if (second != "forward" && second != "backward") {
        fail("unknown pass '" + std::string(second) + "'");
      }
      out.passes_.add(second, {}, std::move(pattern));
    } else {
      const std::optional<Precision> precision = parse_precision(second);
      if (!precision && second != "-") fail("unknown precision '" + std::string(second) + "'");
      out.classes_.add(first, precision, std::move(pattern));
    }
  }
  out.put_other_last();
  return out;
}

void KernelRules::append(const KernelRules& later) {
  const auto add_all = [](Question& to, const Question& from) {
    for (const Rule& rule : from.rules) {
      to.add(from.names[rule.value], rule.precision, rule.pattern);
    }
  };
  add_all(classes_, later.classes_);
  add_all(libraries_, later.libraries_);
  add_all(passes_, later.passes_);
  put_other_last();
}

// Rules may use the class too, to exclude names from later rules.
void KernelRules::put_other_last() {
  std::vector<std::string> names;
  for (const std::string& name : classes_.names) {
    if (name != kOtherClass.name()) names.push_back(name);
  }
  names.push_back(kOtherClass.name());
  for (Rule& rule : classes_.rules) rule.value = index_of(names, classes_.names[rule.value]);
  classes_.names = std::move(names);
}

KernelClass KernelRules::classify(std::string_view kernel_name) const {
  const PatternSubject subject(kernel_name);
  KernelClass found;
  const Rule* rule = classes_.answer(subject);
  if (rule != nullptr) {
    found.operation_class = classes_.name(rule);
    found.precision = rule->precision;
  }
  found.library = libraries_.name(libraries_.answer(subject));
  found.pass = passes_.name(passes_.answer(subject));
  return found;
}

bool KernelRules::is_operation_class(OperationClass name) const {
  return std::find(classes_.names.begin(), classes_.names.end(), name.name()) !=
         classes_.names.end();
}

std::vector<std::string> KernelRules::shadowed_patterns() const {
  std::vector<std::string> shadowed;
  for (const Question* question : {&classes_, &libraries_, &passes_}) {
    for (const Rule& rule : question->rules) {
      const std::string example = rule.pattern.example();
      if (question->answer(PatternSubject(example)) != &rule) {
        shadowed.push_back(rule.pattern.text());
      }
    }
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

KernelRules load_kernel_rules(const std::filesystem::path& file) {
  constexpr std::uintmax_t kMost_bytes = 16 << 20;
  require_input_file(file, "classification rules '" + file.string() + "' (--rules)", kMost_bytes);
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    throw std::runtime_error("cannot read the classification rules " + file.string() +
                             "; --rules takes a text file with one rule per line");
  }
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  KernelRules rules = KernelRules::parse(text, file.string());
  rules.append(kernel_rules());
  return rules;
}

}  // namespace mansard::analysis
