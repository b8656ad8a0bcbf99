// SPDX-License-Identifier: Apache-2.0
// One line on stderr that is rewritten in place, on a terminal only.
#pragma once

#include <chrono>
#include <string>

namespace mansard {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();  // clears the line
  void update(int done, int total, const std::string& what);

 private:
  bool terminal_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace mansard
