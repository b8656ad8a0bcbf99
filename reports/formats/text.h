// SPDX-License-Identifier: Apache-2.0
// Text from a profile is untrusted: a kernel's name may hold any bytes, of any length. These
// functions are what every format puts between such a name and its output.
#pragma once

#include <string>
#include <string_view>

namespace mansard {

// `text` with each byte that is not part of well-formed UTF-8 replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

// valid_utf8(), on one line: runs of white space become a space, and characters that act on a
// terminal or on the direction of text (escape, bell, bidirectional overrides) become U+FFFD.
std::string one_line(std::string_view text);

// valid_utf8() with its lines and tabs kept, and characters that act on a terminal or on the
// direction of text replaced by U+FFFD: for messages and files that hold names from a profile.
std::string safe_lines(std::string_view text);

// Columns that well-formed `text` takes on a terminal: wide East Asian characters count two,
// combining marks none.
int display_width(std::string_view text);

// Well-formed `text` in at most `width` columns, its middle replaced by an ellipsis: kernel names
// differ at both ends (the operation in front, tile and types behind).
std::string truncate_middle(std::string_view text, int width);

// Words of `text` on lines of at most `width` columns; a longer word is left whole.
std::string wrap_words(std::string_view text, int width);

// one_line(), with &, <, >, " and ' as character references.
std::string escape_html(std::string_view text);

}  // namespace mansard
