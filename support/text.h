// SPDX-License-Identifier: Apache-2.0
// Prepares text for display and storage. Text from a profile is untrusted: a kernel name may
// contain any bytes, of any length, and must pass one of these functions before output.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mansard {

// Whether `c` is a decimal digit, in every locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Replaces each byte that is not part of well-formed UTF-8 by U+FFFD.
std::string valid_utf8(std::string_view text);

// valid_utf8(), on one line: runs of white space become a space, and characters that act on a
// terminal or on the direction of text (escape, bell, bidirectional overrides) become U+FFFD.
std::string one_line(std::string_view text);

// one_line(), with &, <, >, " and ' as character references: for HTML, XML and SVG.
std::string escape_html(std::string_view text);

// valid_utf8() with its lines and tabs kept, and characters that act on a terminal or on the
// direction of text replaced by U+FFFD: for messages and files that hold names from a profile.
std::string safe_lines(std::string_view text);

// Number of terminal columns of `text`: wide East Asian characters count as two, combining marks
// as none.
int display_width(std::string_view text);

// Shortens valid_utf8() to at most `width` columns with an ellipsis in the middle, because kernel
// names differ at both ends (the operation at the start, tile and types at the end).
std::string truncate_middle(std::string_view text, int width);

// Breaks `text` at spaces into lines of at most `width` columns; a longer word is not broken.
std::string wrap_words(std::string_view text, int width);

// Converts a wide string to UTF-8; "" for null. Invalid code points become U+FFFD.
std::string to_utf8(const wchar_t* text);

enum class ControlCharacters { keep, escape };

// Quotes `word` for a POSIX shell, in single quotes if needed. With `escape`, a word with control
// characters, which a terminal would interpret, uses the $'\x1b' notation of bash and zsh.
std::string shell_quoted(std::string_view word,
                         ControlCharacters control = ControlCharacters::keep);

// Joins words into a command line that is safe to print on a terminal.
std::string join_command(const std::vector<std::string>& words);

// Formats a grid or block size: "132x1x1".
std::string extent_text(const std::array<std::int32_t, 3>& extent);

}  // namespace mansard
