// SPDX-License-Identifier: Apache-2.0
#include "collector/store/host_names.h"

#include "collector/store/open_profile.h"
#include "collector/store/read_tables.h"

namespace mansard::store {
namespace {

// By descending priority: if a thread has several names, Nsight Systems shows the first.
void read_threads(Database& database, HostNames& names) {
  if (!database.has_table("ThreadNames") || !database.has_table("StringIds")) return;
  const bool ranked = database.columns("ThreadNames").contains("priority");
  Statement row = database.prepare(
      std::string("SELECT t.globalTid, s.value FROM ThreadNames t JOIN StringIds s ON s.id = "
                  "t.nameId") +
      (ranked ? " ORDER BY t.priority DESC" : ""));
  while (row.step()) names.threads.try_emplace(row.integer(0), row.text(1));
}

}  // namespace

HostNames read_host_names(const std::filesystem::path& file) {
  HostNames names;
  OpenedProfile opened = open_profile(file);
  Database& database = opened.database;
  read_threads(database, names);
  Statement process = select(database, "PROCESSES", {"globalPid", "name"});
  while (process.step()) {
    names.processes.try_emplace(process_key(process.integer(0)), process.text(1));
  }
  Statement rank = select(database, "MPI_RANKS", {"globalTid", "rank"});
  while (rank.step()) {
    names.ranks.try_emplace(process_key(rank.integer(0)), rank.integer32(1));
  }
  Statement host = select(database, "MANSARD_RANKS", {"globalPid", "host"});
  while (host.step()) names.hosts.try_emplace(process_key(host.integer(0)), host.text(1));
  return names;
}

}  // namespace mansard::store
