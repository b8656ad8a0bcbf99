// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_lines.h"

#include <cerrno>
#include <string>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace mansard::cli {

void write_progress_line(const nlohmann::json& fields) {
  // The first key, by which readers recognize the line.
  nlohmann::ordered_json line = {{kProgressKey, kProgressVersion}};
  for (const auto& [key, value] : fields.items()) line[key] = value;
  const std::string text =
      line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
  ssize_t written = 0;
  do {
    written = ::write(STDERR_FILENO, text.data(), text.size());
  } while (written < 0 && errno == EINTR);
}

void write_result_line(const std::filesystem::path& file) {
  write_progress_line({{"result", std::filesystem::absolute(file).string()}});
}

}  // namespace mansard::cli
