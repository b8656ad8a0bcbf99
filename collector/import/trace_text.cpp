// SPDX-License-Identifier: Apache-2.0
#include "collector/import/trace_text.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utf8.h>

#include "support/text.h"

namespace mansard::collector {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxTokenLength = std::size_t{1} << 24;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool begins_word(char c) { return is_letter(c) || is_digit(c) || c == '-'; }
// Includes parentheses for "-nan(ind)", as written by Microsoft's C library.
bool is_word_char(char c) {
  return begins_word(c) || c == '+' || c == '.' || c == '#' || c == '(' || c == ')';
}

// 1e999 is a valid JSON number, but too large for a double. Numbers that are too small become zero.
bool is_too_large(std::string_view number) {
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  return error == std::errc::result_out_of_range && number.find("e-") == std::string_view::npos &&
         number.find("E-") == std::string_view::npos;
}

// Replaces NaN, inf, -Infinity, 1.#IND... by an empty string of the same length, which is not read
// as a number.
void repair_word(char* word, std::size_t size) {
  const std::string_view text(word, size);
  const bool has_digit = is_digit(text[0]) || (size > 1 && text[0] == '-' && is_digit(text[1]));
  const bool is_number = has_digit && text.find_first_of("#()") == std::string_view::npos;
  if (is_number && !is_too_large(text)) return;
  if (size < 2 || text == "true" || text == "false" || text == "null") return;
  std::memset(word, ' ', size);
  word[0] = word[1] = '"';
}

// Returns the 16 bits of "\uXXXX", or nothing without four digits.
std::optional<unsigned> code_unit(std::string_view escape) {
  constexpr std::size_t kSize = 6;
  if (escape.size() < kSize || !escape.starts_with("\\u")) return std::nullopt;
  unsigned value = 0;
  for (const char c : escape.substr(2, 4)) {
    if (!is_hex_digit(c)) return std::nullopt;
    value = 16 * value + static_cast<unsigned>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  return value;
}

bool is_first_of_pair(unsigned unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool is_second_of_pair(unsigned unit) { return unit >= 0xdc00 && unit < 0xe000; }

// The longest escape: a pair of surrogates.
constexpr std::size_t kMaxEscapeLength = 12;

// Repairs the escape at the start of `text` and returns how many characters were handled. An
// invalid escape is an unescaped path (D:\utils), whose backslash becomes a slash; an unpaired
// surrogate becomes U+FFFD.
std::size_t repair_escape(char* text, std::size_t size) {
  constexpr std::size_t kUnit = 6;  // characters of "\u" and four digits
  const std::string_view escape(text, size);
  if (size < 2) return size;
  if (std::string_view("\"\\/bfnrt").find(text[1]) != std::string_view::npos) return 2;
  const std::optional<unsigned> unit = code_unit(escape);
  if (!unit) {
    text[0] = '/';
    return 1;
  }
  if (is_first_of_pair(*unit)) {
    const std::optional<unsigned> second = code_unit(escape.substr(kUnit));
    if (second && is_second_of_pair(*second)) return 2 * kUnit;
  }
  if (is_first_of_pair(*unit) || is_second_of_pair(*unit)) std::memcpy(text, "\\ufffd", kUnit);
  return kUnit;
}

}  // namespace

TraceText::TraceText(ByteSource& bytes) : bytes_(bytes), buffer_(kBufferBytes) {
  refill();
  constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
  if (std::string_view(next_, static_cast<std::size_t>(end_ - next_)).starts_with(kUtf8Mark)) {
    next_ += kUtf8Mark.size();
  }
}

// At the end of the input, next_ == end_.
void TraceText::refill() {
  before_ += static_cast<std::uint64_t>(end_ - begin_);
  std::size_t size = 0;
  // The parser keeps a whole string or number in memory, so limit their length.
  if (string_bytes_ > kMaxTokenLength) problem_ = "it has a string longer than 16 MiB";
  if (!problem_.empty()) {
    begin_ = next_ = end_ = buffer_.data();
    return;
  }
  do {
    std::memmove(buffer_.data(), buffer_.data() + kept_from_, kept_);
    const std::size_t read = bytes_.read(buffer_.data() + kept_, buffer_.size() - kept_);
    const std::size_t available = kept_ + read;
    kept_ = 0;
    is_last_ = read == 0;
    size = repair(available);
    kept_from_ = size;
    // A word at the end of the input is complete; one as long as the buffer cannot be repaired.
    if (read == 0 || (size == 0 && available == buffer_.size())) {
      if (read != 0) problem_ = "it has a number longer than 1 MiB";
      size = available;
    } else {
      kept_ = available - size;
    }
    if (available == 0) break;
  } while (size == 0);
  begin_ = next_ = buffer_.data();
  end_ = begin_ + size;
}

// Returns how much of the buffer may be read: all except a word, escape or character that may
// continue.
std::size_t TraceText::repair(std::size_t size) {
  std::size_t at = 0;
  while (at < size) {
    if (in_string_) {
      const std::size_t start = at;
      at = repair_string(at, size);
      string_bytes_ = in_string_ ? string_bytes_ + (at - start) : 0;
      if (in_string_) return at;
    } else if (buffer_[at] == '"') {
      in_string_ = true;
      ++at;
    } else if (begins_word(buffer_[at])) {
      std::size_t end = at;
      while (end < size && is_word_char(buffer_[end])) ++end;
      if (end == size) return at;
      repair_word(&buffer_[at], end - at);
      at = end;
    } else {
      ++at;
    }
  }
  return size;
}

// Returns the end of the string, or the end of its readable part.
std::size_t TraceText::repair_string(std::size_t at, std::size_t size) {
  while (at < size) {
    char& c = buffer_[at];
    if (c == '\\') {
      if (size - at < kMaxEscapeLength && !is_last_) return at;
      at += repair_escape(&c, size - at);
      continue;
    }
    std::size_t length = 1;
    if (c == '"') {
      in_string_ = false;
      return at + 1;
    }
    if (static_cast<unsigned char>(c) < 0x20) {
      c = ' ';
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      constexpr std::size_t kMaxSequenceLength = 4;
      if (size - at < kMaxSequenceLength && !is_last_) return at;
      char* next = &c;
      if (utf8::find_invalid(next, next + std::min(kMaxSequenceLength, size - at)) == next) {
        c = '?';
      } else {
        utf8::unchecked::next(next);
        length = static_cast<std::size_t>(next - &c);
      }
    }
    at += length;
  }
  return size;
}

}  // namespace mansard::collector
