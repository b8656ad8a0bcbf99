// SPDX-License-Identifier: Apache-2.0
#include "collector/store/profile_tables.h"

#include <fstream>
#include <stdexcept>

namespace mansard::store {

Database create_recording(const std::filesystem::path& file) {
  // Database opens only what exists: creating by accident is what load_profile must never do.
  std::ofstream created(file, std::ios::app);
  if (!created) throw std::runtime_error(file.string() + ": cannot create the recording");
  if (created.tellp() != 0) {
    throw std::runtime_error(file.string() + ": exists already; a recording is never appended to");
  }
  created.close();
  Database database(file.string(), Database::Access::read_write);
  // A sync waits for everything that the machine is writing, a job's checkpoint say: seconds, for
  // which a fork would have to wait too. Without it the kernel keeps what a killed process wrote.
  database.exec("PRAGMA page_size=16384; PRAGMA synchronous=OFF");
  database.write_through_log();
  return database;
}

}  // namespace mansard::store
