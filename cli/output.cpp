// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <unistd.h>

#include <sys/ioctl.h>

#include "support/text.h"

namespace mansard::cli {
namespace {

// Edits (insert, delete, replace, swap neighbors) that turn `a` into `b`: the optimal string
// alignment distance, in which each letter is edited at most once.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  // the row before `row`
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> next(b.size() + 1);
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        next[j] = std::min(next[j], before[j - 2] + 1);
      }
    }
    before = std::move(row);
    row = std::move(next);
  }
  return row.back();
}

}  // namespace

int output_width() {
  constexpr int kNarrowest = 40;
  constexpr int kOfAFile = 160;
  winsize size{};
  int columns = 0;
  if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    columns = size.ws_col;
  }
  if (const char* text = std::getenv("COLUMNS"); columns == 0 && text != nullptr) {
    columns = std::atoi(text);
  }
  return columns > 0 ? std::max(columns, kNarrowest) : kOfAFile;
}

void say(std::string_view message) { std::cerr << "mansard: " << safe_lines(message) << '\n'; }

void suggest_next(std::string_view command) {
  std::cerr << "next: " << safe_lines(command) << '\n';
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  // A prefix ("char" for "characterize") has a large edit distance but is a clear match.
  if (best == nullptr && word.size() >= 3) {
    for (const std::string& candidate : known) {
      if (candidate.compare(0, word.size(), word) == 0) {
        best = &candidate;
        break;
      }
    }
  }
  return best == nullptr ? "" : " Did you mean '" + *best + "'?";
}

}  // namespace mansard::cli
