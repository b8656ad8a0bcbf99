// SPDX-License-Identifier: Apache-2.0
// What it takes to replace a file by another one that was written beside it, without harm to what
// the user made of the old one: links to it, and who may read it.
#pragma once

#include <filesystem>

namespace mansard {

// What the symbolic links of that name lead to; the last one may lead to what does not exist yet.
// Throws std::runtime_error where they lead in a circle.
std::filesystem::path follow_links(std::filesystem::path file);

// Lets `file` be read and written by whom `existing` may be, if that exists.
void keep_permissions(const std::filesystem::path& existing, const std::filesystem::path& file);

}  // namespace mansard
