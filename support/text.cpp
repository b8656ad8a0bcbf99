// SPDX-License-Identifier: Apache-2.0
#include "support/text.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utf8.h>

namespace mansard {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

// The next character of well-formed text, which is removed from its front.
struct Character {
  char32_t code = 0;
  std::string_view bytes;
};

Character next_character(std::string_view& text) {
  const char* at = text.data();
  const char32_t code = utf8::unchecked::next(at);
  const auto length = static_cast<std::size_t>(at - text.data());
  const Character character{code, text.substr(0, length)};
  text.remove_prefix(length);
  return character;
}

bool is_space(char32_t c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0x2028 || c == 0x2029;
}

bool acts_on_the_reader(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F);
  const bool bidirectional =
      (c >= 0x200E && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return control || bidirectional;
}

struct Range {
  char32_t first, last;
};

bool in(const auto& ranges, char32_t c) {
  return std::ranges::any_of(ranges, [c](Range r) { return c >= r.first && c <= r.last; });
}

// Approximate ranges of wide characters (W and F in Unicode's EastAsianWidth.txt) and of combining
// marks: enough to keep columns aligned.
constexpr Range kWide[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                           {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                           {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
constexpr Range kZero[] = {
    {0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};

int columns_of(char32_t c) {
  if (c < 0x300) return 1;
  return in(kZero, c) ? 0 : in(kWide, c) ? 2 : 1;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (;;) {
    const char* const end = text.data() + text.size();
    const char* const invalid = utf8::find_invalid(text.data(), end);
    out.append(text.data(), invalid);
    if (invalid == end) return out;
    out += kReplacement;
    text.remove_prefix(static_cast<std::size_t>(invalid - text.data()) + 1);
  }
}

std::string one_line(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string out;
  out.reserve(valid.size());
  bool pending_space = false;
  for (std::string_view rest = valid; !rest.empty();) {
    const Character c = next_character(rest);
    if (is_space(c.code)) {
      pending_space = !out.empty();
      continue;
    }
    if (pending_space) out += ' ';
    pending_space = false;
    out += acts_on_the_reader(c.code) ? kReplacement : c.bytes;
  }
  return out;
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : one_line(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string safe_lines(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::string out;
  out.reserve(valid.size());
  for (std::string_view rest = valid; !rest.empty();) {
    const Character c = next_character(rest);
    const bool kept = c.code == '\n' || c.code == '\t';
    out += !kept && acts_on_the_reader(c.code) ? kReplacement : c.bytes;
  }
  return out;
}

int display_width(std::string_view text) {
  const std::string valid = valid_utf8(text);
  int width = 0;
  for (std::string_view rest = valid; !rest.empty();)
    width += columns_of(next_character(rest).code);
  return width;
}

std::string truncate_middle(std::string_view text, int width) {
  const std::string valid = valid_utf8(text);
  struct Cut {
    std::size_t offset;
    int columns;  // width of the text before `offset`
  };
  std::vector<Cut> cuts = {{0, 0}};
  for (std::string_view rest = valid; !rest.empty();) {
    const int columns = columns_of(next_character(rest).code);
    cuts.push_back({valid.size() - rest.size(), cuts.back().columns + columns});
  }
  const int total = cuts.back().columns;
  if (total <= width) return valid;
  if (width <= 1) return width == 1 ? std::string(kEllipsis) : std::string();
  const int front = width / 2;
  const int back = width - 1 - front;
  const auto head = std::ranges::upper_bound(cuts, front, {}, &Cut::columns) - 1;
  const auto tail = std::ranges::lower_bound(cuts, total - back, {}, &Cut::columns);
  return valid.substr(0, head->offset) + std::string(kEllipsis) + valid.substr(tail->offset);
}

std::string wrap_words(std::string_view text, int width) {
  std::string out;
  int column = 0;
  while (!text.empty()) {
    std::size_t end = text.find(' ');
    // A percent sign stays with its number.
    while (end < text.size() && text.substr(end + 1, 1) == "%") end = text.find(' ', end + 1);
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    const int columns = display_width(word);
    if (column > 0) {
      const bool fits = column + 1 + columns <= width;
      out += fits ? ' ' : '\n';
      column = fits ? column + 1 : 0;
    }
    out += word;
    column += columns;
  }
  return out;
}

std::string to_utf8(const wchar_t* text) {
  std::string out;
  if (text == nullptr) return out;
  for (; *text != L'\0'; ++text) {
    const auto code = static_cast<std::uint32_t>(*text);
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    if (code > 0x10ffff || surrogate) {
      out += kReplacement;
    } else {
      utf8::unchecked::append(code, std::back_inserter(out));
    }
  }
  return out;
}

std::string shell_quoted(std::string_view word, ControlCharacters control) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return std::string(word);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const bool escapes =
      control == ControlCharacters::escape && std::ranges::any_of(word, is_control);
  std::string quoted = escapes ? "$'" : "'";
  for (const char c : word) {
    if (escapes && is_control(c)) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned>(c));
      quoted += escaped;
    } else if (c == '\'') {
      quoted += escapes ? "\\'" : "'\\''";
    } else if (c == '\\' && escapes) {
      quoted += "\\\\";
    } else {
      quoted += c;
    }
  }
  return quoted + '\'';
}

std::string join_command(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    line += shell_quoted(word, ControlCharacters::escape);
  }
  return line;
}

std::string extent_text(const std::array<std::int32_t, 3>& extent) {
  return std::to_string(extent[0]) + 'x' + std::to_string(extent[1]) + 'x' +
         std::to_string(extent[2]);
}

}  // namespace mansard
