// SPDX-License-Identifier: Apache-2.0
// One line on stderr that is rewritten in place, on a terminal only.
#pragma once

#include <string>

namespace mansard::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();  // clears the line
  // `left_s`: estimated seconds to the end; negative: not known yet.
  void update(int done, int total, double left_s, const std::string& what);

 private:
  bool terminal_;
};

}  // namespace mansard::cli
