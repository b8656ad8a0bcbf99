// SPDX-License-Identifier: Apache-2.0
#include "reports/formats/text.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace mansard {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

struct Character {
  char32_t code = 0;
  std::size_t length = 0;  // bytes of a well-formed sequence; 0: the first byte is not one's start
};

// Unicode 15, table 3-7: rejects overlong forms, surrogates and anything above U+10FFFF.
Character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) -> std::uint8_t {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0;
  };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0) return {};
  char32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[length] || surrogate || code > 0x10FFFF) return {};
  return {code, length};
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

// Blocks of Unicode's EastAsianWidth.txt (W and F) and of its combining marks, coarsely: enough to
// keep columns aligned for the scripts that names are written in.
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
  while (!text.empty()) {
    const Character c = decode(text);
    out += c.length > 0 ? text.substr(0, c.length) : kReplacement;
    text.remove_prefix(std::max<std::size_t>(c.length, 1));
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool pending_space = false;
  while (!text.empty()) {
    const Character c = decode(text);
    const std::string_view bytes = text.substr(0, c.length);
    text.remove_prefix(std::max<std::size_t>(c.length, 1));
    if (c.length > 0 && is_space(c.code)) {
      pending_space = !out.empty();
      continue;
    }
    if (pending_space) out += ' ';
    pending_space = false;
    out += c.length == 0 || acts_on_the_reader(c.code) ? kReplacement : bytes;
  }
  return out;
}

std::string safe_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = decode(text);
    const std::string_view bytes = text.substr(0, c.length);
    text.remove_prefix(std::max<std::size_t>(c.length, 1));
    const bool kept = c.code == '\n' || c.code == '\t';
    out += c.length == 0 || (!kept && acts_on_the_reader(c.code)) ? kReplacement : bytes;
  }
  return out;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const Character c = decode(text);
    width += columns_of(c.code);
    text.remove_prefix(std::max<std::size_t>(c.length, 1));
  }
  return width;
}

std::string truncate_middle(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  if (width <= 1) return width == 1 ? std::string(kEllipsis) : std::string();
  struct Cut {
    std::size_t offset;
    int columns;  // of everything before offset
  };
  std::vector<Cut> cuts = {{0, 0}};
  for (std::size_t at = 0; at < text.size();) {
    const Character c = decode(text.substr(at));
    at += std::max<std::size_t>(c.length, 1);
    cuts.push_back({at, cuts.back().columns + columns_of(c.code)});
  }
  const int total = cuts.back().columns;
  const int front = width / 2;
  const int back = width - 1 - front;
  const auto head = std::ranges::upper_bound(cuts, front, {}, &Cut::columns) - 1;
  const auto tail = std::ranges::lower_bound(cuts, total - back, {}, &Cut::columns);
  std::string out(text.substr(0, head->offset));
  out += kEllipsis;
  out += text.substr(tail->offset);
  return out;
}

std::string wrap_words(std::string_view text, int width) {
  std::string out;
  int column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
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

}  // namespace mansard
