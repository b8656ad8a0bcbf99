// SPDX-License-Identifier: Apache-2.0
#include "cli/write_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace mansard::cli {
namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& file) {
  const fs::path folder = file.parent_path();
  return folder.empty() ? "." : folder;
}

// Follows links.
fs::file_type type_of(const fs::path& file) {
  std::error_code missing;
  return fs::status(file, missing).type();
}

[[noreturn]] void fail(const fs::path& file, const std::string& reason) {
  throw std::runtime_error("cannot write '" + file.string() + "': " + reason);
}

void require_access(const fs::path& file, const fs::path& checked) {
  if (::access(checked.c_str(), W_OK) != 0) fail(file, std::strerror(errno));
}

}  // namespace

bool is_standard_output(const fs::path& file) {
  const auto output = file_identity(STDOUT_FILENO);
  return output && output == file_identity(file);
}

void require_writable(const fs::path& file, bool force, OutputKind kind) {
  const fs::file_type type = type_of(file);
  if (type == fs::file_type::directory) fail(file, "it is a folder");
  if (kind == OutputKind::text && (is_stream(file) || is_standard_output(file))) {
    require_access(file, file);
    return;
  }
  const bool exists = type != fs::file_type::not_found && type != fs::file_type::none;
  if (exists && type != fs::file_type::regular) fail(file, "it is not a regular file");
  if (exists && !force) {
    throw std::runtime_error("'" + file.string() + "' already exists; pass -f to replace it");
  }
  const fs::path folder = folder_of(follow_links(file));
  if (type_of(folder) != fs::file_type::directory) {
    fail(file, "the folder '" + folder.string() + "' does not exist");
  }
  if (exists) require_access(file, file);
  require_access(file, folder);
}

void write_file(const fs::path& file, std::string_view content, bool force) {
  require_writable(file, force);
  if (is_standard_output(file)) {
    std::cout << content << std::flush;
    if (!std::cout) fail(file, std::strerror(errno));
    return;
  }
  OutputFile output(file);
  std::ofstream out(output.file(), std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  if (!out) fail(file, std::strerror(errno));
  output.finish();
}

}  // namespace mansard::cli
