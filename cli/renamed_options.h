// SPDX-License-Identifier: Apache-2.0
// Options that have a new name: the old one still works, with a note on stderr.
#pragma once

#include <string>
#include <vector>

namespace mansard::cli {

// Replaces old names, also in `--old=value`, in the arguments that follow the program's name.
// Arguments of `mansard profile` stay as they are, since a profiled program may own an option of
// that name.
void replace_renamed_options(std::vector<std::string>& arguments);

}  // namespace mansard::cli
