// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>

#include "collector/merge/merge.h"
#include "collector/merge/table_copier.h"
#include "collector/store/close_database.h"
#include "collector/store/open_profile.h"
#include "collector/store/profile_writer.h"
#include "support/files.h"

namespace mansard::collector {
namespace {

namespace fs = std::filesystem;

std::int64_t merged_start(const MergedRecording& merged) {
  std::int64_t start = INT64_MAX;
  for (std::size_t i = 0; i < merged.ranks.size(); ++i) {
    const std::int64_t own = merged.ranks[i].session.start_utc_ns;
    start = std::min(start, own + merged.alignment.shifts[i].at(own));
  }
  return start;
}

store::SessionInfo session_of(const MergedRecording& merged) {
  store::SessionInfo session = merged.ranks.front().session;
  session.start_utc_ns = merged_start(merged);
  session.rank = -1;
  for (const RankRecording& rank : merged.ranks) {
    if (rank.session.host != session.host) session.host = store::kSeveralHosts;
  }
  return session;
}

// Rows of the writer's own; what a rank says of itself comes with its tables.
void write_head(const MergedRecording& merged, const fs::path& file) {
  store::ProfileWriter writer(file, session_of(merged));
  std::int64_t dropped = 0;
  for (const RankRecording& rank : merged.ranks) dropped += rank.session.dropped_events;
  writer.set_session_value("ranks", std::to_string(merged.ranks.size()));
  writer.set_session_value("alignedCollectives", std::to_string(merged.collectives));
  writer.set_session_value("medianResidualNs",
                           std::to_string(std::llround(merged.alignment.median_residual_ns)));
  writer.set_session_value("largestResidualNs",
                           std::to_string(std::llround(merged.alignment.largest_residual_ns)));
  for (const RankRecording& rank : merged.ranks) {
    if (rank.session.imported_from.empty()) continue;
    writer.set_session_value("importedFrom", rank.session.imported_from);
    break;
  }
  if (dropped > 0) writer.set_session_value("droppedNvtxEvents", std::to_string(dropped));
  writer.commit();
}

store::RecordingState state_of(const MergedRecording& merged) {
  const bool complete =
      std::all_of(merged.ranks.begin(), merged.ranks.end(), [](const RankRecording& rank) {
        return rank.session.state == store::RecordingState::complete;
      });
  return complete ? store::RecordingState::complete : store::RecordingState::interrupted;
}

// MPI_RANKS is what Nsight Systems calls it; a process is named by its main thread.
void write_rank_tables(store::Database& database, const MergedRecording& merged,
                       const std::vector<std::int64_t>& machines) {
  database.exec(
      "CREATE TABLE MPI_RANKS (globalTid INTEGER, rank INTEGER);"
      "CREATE TABLE MANSARD_RANKS (rank INTEGER NOT NULL PRIMARY KEY, globalPid INTEGER NOT NULL, "
      "host TEXT, pid INTEGER, file TEXT, state TEXT, startUtcNs INTEGER, clockOffsetNs INTEGER, "
      "clockDrift REAL)");
  store::Statement mpi = database.prepare("INSERT INTO MPI_RANKS VALUES (?, ?)");
  store::Statement own =
      database.prepare("INSERT INTO MANSARD_RANKS VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < merged.ranks.size(); ++i) {
    const RankRecording& rank = merged.ranks[i];
    const ClockShift& shift = merged.alignment.shifts[i];
    const std::int64_t global_pid = machines[i] << 48 | rank.session.pid << 24;
    mpi.run(global_pid | rank.session.pid, rank.session.rank);
    own.run(rank.session.rank, global_pid, std::string_view(rank.session.host), rank.session.pid,
            std::string_view(rank.file.filename().native()), store::to_string(rank.session.state),
            rank.session.start_utc_ns, shift.at(rank.session.start_utc_ns), shift.drift);
  }
}

}  // namespace

void write_merged(const MergedRecording& merged, const fs::path& output) {
  OutputFile unfinished(output, OutputKind::database);
  write_head(merged, unfinished.file());
  {
    store::Database database(unfinished.file().string(), store::Database::Access::read_write);
    // Ranks' logs are read without locks; nobody else has this file.
    database.exec("PRAGMA locking_mode=EXCLUSIVE; DELETE FROM PROCESSES");
    std::map<std::string, std::int64_t> machine_of_scope;
    std::vector<std::int64_t> machines;
    TableCopier copier(database);
    const std::int64_t start = merged_start(merged);
    for (std::size_t i = 0; i < merged.ranks.size(); ++i) {
      const RankRecording& rank = merged.ranks[i];
      const auto next = static_cast<std::int64_t>(machine_of_scope.size());
      machines.push_back(machine_of_scope.try_emplace(rank.process_scope, next).first->second);
      copier.copy(store::open_profile(rank.file).name, {.start_utc_ns = rank.session.start_utc_ns,
                                                        .shift = merged.alignment.shifts[i],
                                                        .merged_utc_ns = start,
                                                        .machine = machines.back()});
    }
    write_rank_tables(database, merged, machines);
    store::close_database(database, state_of(merged));
  }
  unfinished.finish();
}

}  // namespace mansard::collector
