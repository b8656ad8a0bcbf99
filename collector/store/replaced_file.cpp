// SPDX-License-Identifier: Apache-2.0
#include "collector/store/replaced_file.h"

#include <stdexcept>

namespace mansard {

namespace fs = std::filesystem;

fs::path follow_links(fs::path file) {
  constexpr int kMostLinks = 40;  // as many as Linux follows
  const fs::path named = file;
  std::error_code none;
  for (int links = 0; fs::is_symlink(fs::symlink_status(file, none)); ++links) {
    if (links == kMostLinks) {
      throw std::runtime_error("'" + named.string() + "' leads from link to link without end");
    }
    file = file.parent_path() / fs::read_symlink(file);  // an absolute one replaces the folder
  }
  return file;
}

void keep_permissions(const fs::path& existing, const fs::path& file) {
  std::error_code missing;
  const fs::file_status status = fs::status(existing, missing);
  if (fs::exists(status)) fs::permissions(file, status.permissions());
}

}  // namespace mansard
