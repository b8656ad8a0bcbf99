// SPDX-License-Identifier: Apache-2.0
// A progress bar on stderr: one line that is rewritten in place, only on a terminal.
#pragma once

#include <string>

namespace mansard::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();  // clears the line
  // `left_s`: estimated seconds to the end; negative: unknown.
  void update(int done, int total, double left_s, const std::string& what);

 private:
  bool terminal_;
};

}  // namespace mansard::cli
