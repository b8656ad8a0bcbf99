// SPDX-License-Identifier: Apache-2.0
// Output conventions of all commands: data on stdout, messages on stderr.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mansard::cli {

// Width of tables on stdout: that of the terminal; for a pipe or file $COLUMNS, else 160, which the
// widest tables need.
int output_width();

// Prints "mansard: MESSAGE" on stderr.
void say(std::string_view message);
// Prints "next: COMMAND" on stderr: a command that the user may want to run next.
void suggest_next(std::string_view command);

// Returns " Did you mean 'x'?" with the entry of `known` closest to `word`; empty if none is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace mansard::cli
