// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_bar.h"

#include <cstdio>
#include <unistd.h>

namespace mansard {

ProgressBar::ProgressBar()
    : terminal_(::isatty(STDERR_FILENO) == 1), start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() {
  if (terminal_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::update(int done, int total, const std::string& what) {
  if (!terminal_ || total <= 0) return;
  constexpr int kWidth = 24;
  std::string bar(kWidth, ' ');
  for (int i = 0; i < kWidth * done / total; ++i) bar[i] = '=';
  const double elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  std::string left;
  if (done > 0) {
    left = ", " + std::to_string(static_cast<int>(elapsed_s * (total - done) / done + 0.5)) +
           " s left";
  }
  std::fprintf(stderr, "\r\033[K[%s] %d/%d %s%s", bar.c_str(), done, total, what.c_str(),
               left.c_str());
  std::fflush(stderr);
}

}  // namespace mansard
