// SPDX-License-Identifier: Apache-2.0
// The conventions every command keeps: data on stdout, talk on stderr.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mansard::cli {

// Columns for a table on stdout: the terminal's; of a pipe or file COLUMNS or else 160, which is
// what the widest tables need.
int output_width();

// On stderr, "mansard: ..." ; `next` also names a command the user may want to run now.
void say(std::string_view message);
void suggest_next(std::string_view command);

// The closest of `known` to a mistyped `word`, as " Did you mean 'x'?"; empty when none is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace mansard::cli
