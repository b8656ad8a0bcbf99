// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mansard::cli {

// As long as it exists, SIGINT and SIGTERM do not end the process, which can complete what it is
// doing and save its result. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // The last signal since the last of these objects was made; 0: none.
  static int received();
};

}  // namespace mansard::cli
