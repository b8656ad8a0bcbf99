// SPDX-License-Identifier: Apache-2.0
#include "collector/import/comparable_name.h"

#include <cctype>

#include "support/text.h"

namespace mansard::collector {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Removes a type before a number: "(int)128" and "(mode)2".
void remove_casts(std::string& text) {
  for (std::size_t open = text.find('('); open != std::string::npos; open = text.find('(', open)) {
    std::size_t close = open + 1;
    while (close < text.size() &&
           (is_word(text[close]) || text[close] == ':' || text[close] == ' ')) {
      ++close;
    }
    const bool is_cast = close > open + 1 && close + 1 < text.size() && text[close] == ')' &&
                         (is_digit(text[close + 1]) || text[close + 1] == '-');
    if (is_cast) {
      text.erase(open, close + 1 - open);
    } else {
      ++open;
    }
  }
}

// Removes the suffixes of "128u" and "3ul" as template arguments; digits in identifiers stay.
void remove_suffixes(std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_digit(text[at]) || (at > 0 && is_word(text[at - 1]))) continue;
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::size_t suffix = end;
    while (suffix < text.size() && (text[suffix] == 'u' || text[suffix] == 'l')) ++suffix;
    if (suffix == text.size() || !is_word(text[suffix])) text.erase(end, suffix - end);
    at = end;
  }
}

void replace_word(std::string& text, std::string_view word, char with) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word(text[at - 1]);
    if (!begins || (end < text.size() && is_word(text[end]))) continue;
    text[at] = with;
    text.erase(at + 1, word.size() - 1);
  }
}

}  // namespace

std::string comparable_name(std::string_view demangled) {
  std::string text(demangled);
  for (const char* unnamed : {"(anonymous namespace)", "<unnamed>", "_GLOBAL__N__"}) {
    replace_all(text, unnamed, "{unnamed}");
  }
  if (text.starts_with("void ")) text.erase(0, 5);
  remove_casts(text);
  remove_suffixes(text);
  replace_word(text, "true", '1');
  replace_word(text, "false", '0');
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ' ') {
      plain += text[i];
      continue;
    }
    // Keep the space of "unsigned int".
    const bool between_words =
        i > 0 && i + 1 < text.size() && is_word(text[i - 1]) && is_word(text[i + 1]);
    if (between_words) plain += ' ';
  }
  return plain;
}

std::string_view without_parameters(std::string_view name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>' && i > 0 && name[i - 1] != '-') --depth;
    if (name[i] == '(' && depth == 0 && i > 0) return name.substr(0, i);
  }
  return name;
}

}  // namespace mansard::collector
