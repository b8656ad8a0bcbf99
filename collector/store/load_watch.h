// SPDX-License-Identifier: Apache-2.0
// Watches the connections of a load at work, of which each may have a thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "collector/store/load_control.h"
#include "collector/store/sqlite.h"

namespace mansard {

class LoadWatch {
 public:
  // `control` must live as long as this, and this as long as the databases.
  explicit LoadWatch(const LoadControl& control) : control_(control) {}

  // Counts the rows that are to be read, of which nothing more than the tables' ends is looked at.
  void expect(Database& database);
  // From now on a statement of `database` fails with SQLITE_INTERRUPT once the load is cancelled.
  void watch(Database& database);

 private:
  bool go_on();

  const LoadControl& control_;
  double expected_steps_ = 0;  // of SQLite's virtual machine
  std::atomic<std::int64_t> steps_ = 0;
  std::mutex reporting_;
};

}  // namespace mansard
