// SPDX-License-Identifier: Apache-2.0
// Watches the database connections of a load; each may have its own thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "collector/store/load_control.h"
#include "collector/store/sqlite.h"

namespace mansard::store {

class LoadWatch {
 public:
  // `control` must outlive this object, and this object the databases. `file_bytes` limits the
  // number of steps: a valid file of this size needs fewer.
  LoadWatch(const LoadControl& control, std::uintmax_t file_bytes);

  // Estimates the number of rows to be read from the first and last rowid of each table.
  void expect(Database& database);
  // Makes statements of `database` fail with SQLITE_INTERRUPT once the load is canceled or has
  // taken too many steps.
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
