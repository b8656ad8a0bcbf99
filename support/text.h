// SPDX-License-Identifier: Apache-2.0
// Text as it is shown and stored. Text from a profile is untrusted: a kernel's name may hold any
// bytes, of any length, and passes one of these functions before it is output.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mansard {

// `text` with each byte that is not part of well-formed UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

// valid_utf8(), on one line: runs of white space become a space, and characters that act on a
// terminal or on the direction of text (escape, bell, bidirectional overrides) become U+FFFD.
std::string one_line(std::string_view text);

// one_line(), with &, <, >, " and ' as character references: for HTML, XML and SVG.
std::string escape_html(std::string_view text);

// valid_utf8() with its lines and tabs kept, and characters that act on a terminal or on the
// direction of text replaced by U+FFFD: for messages and files that hold names from a profile.
std::string safe_lines(std::string_view text);

// Columns that `text` takes on a terminal: wide East Asian characters count two, combining marks
// none.
int display_width(std::string_view text);

// valid_utf8() in at most `width` columns, its middle replaced by an ellipsis: kernel names differ
// at both ends (the operation in front, tile and types behind).
std::string truncate_middle(std::string_view text, int width);

// Words of `text` on lines of at most `width` columns; a longer word is left whole.
std::string wrap_words(std::string_view text, int width);

// UTF-8 of a wide string; "" for null. Invalid code points become U+FFFD.
std::string to_utf8(const wchar_t* text);

enum class ControlCharacters { keep, escape };

// `word` as a POSIX shell reads it back: as it is, or in single quotes. With `escape`, a word with
// control characters, which a terminal would obey, is in the notation $'\x1b' of bash and zsh.
std::string shell_quoted(std::string_view word,
                         ControlCharacters control = ControlCharacters::keep);

// A command line of these words, safe to be shown on a terminal.
std::string join_command(const std::vector<std::string>& words);

// "132x1x1": a grid or a block.
std::string extent_text(const std::array<std::int32_t, 3>& extent);

}  // namespace mansard
