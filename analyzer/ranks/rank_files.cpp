// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/rank_files.h"

#include <algorithm>
#include <glob.h>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "analyzer/ranks/summary_file.h"
#include "collector/merge/rank_recording.h"

namespace mansard::analysis {
namespace {

namespace fs = std::filesystem;

// "run.2" before "run.10".
bool natural_less(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
      continue;
    }
    const auto number = [&](const std::string& text, std::size_t& at) {
      while (at + 1 < text.size() && text[at] == '0' && digit(text[at + 1])) ++at;
      const std::size_t start = at;
      while (at < text.size() && digit(text[at])) ++at;
      return std::string_view(text).substr(start, at - start);
    };
    const std::string_view x = number(a, i);
    const std::string_view y = number(b, j);
    if (x.size() != y.size()) return x.size() < y.size();
    if (x != y) return x < y;
  }
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  const int failure = glob(pattern.c_str(), GLOB_TILDE, nullptr, &found);
  std::vector<std::string> names;
  for (std::size_t i = 0; failure == 0 && i < found.gl_pathc; ++i) {
    const std::string name = found.gl_pathv[i];
    // Logs beside profiles that are still open.
    if (!name.ends_with("-wal") && !name.ends_with("-shm") && !name.ends_with("-journal")) {
      names.push_back(name);
    }
  }
  globfree(&found);
  return names;
}

void sort_by_name(std::vector<fs::path>& files) {
  std::ranges::sort(files, [](const fs::path& a, const fs::path& b) {
    return natural_less(a.string(), b.string());
  });
  files.erase(std::unique(files.begin(), files.end()), files.end());
}

}  // namespace

std::vector<fs::path> expand_rank_files(const std::vector<std::string>& arguments) {
  std::vector<fs::path> files;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (argument.find_first_of("*?[") == std::string::npos || fs::exists(argument, error)) {
      files.emplace_back(argument);
      continue;
    }
    const std::vector<std::string> matches = matches_of(argument);
    if (matches.empty()) {
      if (argument.find_first_of("*?") != std::string::npos) {
        throw std::runtime_error("no file matches '" + argument + "'");
      }
      files.emplace_back(argument);  // a name may have a bracket
      continue;
    }
    files.insert(files.end(), matches.begin(), matches.end());
  }
  sort_by_name(files);
  return files;
}

std::vector<fs::path> rank_files_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> summaries;
  std::vector<fs::path> profiles;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(kSummarySuffix)) {
      summaries.push_back(at->path());
    } else if (name.ends_with(".sqlite")) {
      profiles.push_back(at->path());
    }
  }
  if (error) {
    throw std::runtime_error(folder.string() + ": cannot read the folder: " + error.message());
  }
  std::vector<fs::path>& files = summaries.empty() ? profiles : summaries;
  if (files.empty()) {
    throw std::runtime_error(folder.string() +
                             ": the folder has neither summaries (*.summary.sqlite) nor profiles "
                             "(*.sqlite)");
  }
  sort_by_name(files);
  return files;
}

bool are_files_of_job(const std::vector<fs::path>& files) {
  std::optional<int> first;
  for (const fs::path& file : files) {
    if (is_summary(file)) return true;
    try {
      const int rank = collector::read_rank_head(file).session.rank;
      if (first && rank != *first) return true;
      first = rank;
    } catch (const std::runtime_error&) {
      // Not a rank's profile, or still being recorded.
    }
  }
  return false;
}

}  // namespace mansard::analysis
