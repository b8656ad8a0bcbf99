// SPDX-License-Identifier: Apache-2.0
// Watches the connections of a load at work, of which each may have a thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "collector/store/load_control.h"
#include "collector/store/sqlite.h"

namespace mansard::store {

class LoadWatch {
 public:
  // `control` must live as long as this, and this as long as the databases. `file_bytes` bounds the
  // steps: what a file of this size holds is read with fewer.
  LoadWatch(const LoadControl& control, std::uintmax_t file_bytes);

  // Counts the rows that are to be read, of which nothing more than the tables' ends is looked at.
  void expect(Database& database);
  // From now on a statement of `database` fails with SQLITE_INTERRUPT once the load is canceled,
  // or has taken too many steps.
  void watch(Database& database);
  bool took_too_many_steps() const { return steps_ > most_steps_; }

 private:
  bool go_on();

  const LoadControl& control_;
  const std::int64_t most_steps_;
  double expected_steps_ = 0;  // of SQLite's virtual machine
  std::atomic<std::int64_t> steps_ = 0;
  std::mutex reporting_;
};

}  // namespace mansard::store
