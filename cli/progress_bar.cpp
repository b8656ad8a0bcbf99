// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_bar.h"

#include <cstdio>
#include <unistd.h>

namespace mansard::cli {

ProgressBar::ProgressBar() : terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (terminal_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::update(int done, int total, double left_s, const std::string& what) {
  if (!terminal_ || total <= 0) return;
  constexpr int kWidth = 24;
  std::string bar(kWidth, ' ');
  for (int i = 0; i < kWidth * done / total; ++i) bar[i] = '=';
  std::string left;
  if (left_s >= 0) left = ", " + std::to_string(static_cast<int>(left_s + 0.5)) + " s left";
  std::fprintf(stderr, "\r\033[K[%s] %d/%d%s, %s", bar.c_str(), done, total, left.c_str(),
               what.c_str());
  std::fflush(stderr);
}

}  // namespace mansard::cli
