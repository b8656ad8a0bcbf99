// SPDX-License-Identifier: Apache-2.0
#include "collector/merge/merge.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "collector/merge/table_copier.h"
#include "collector/store/close_database.h"
#include "collector/store/open_profile.h"
#include "collector/store/profile_writer.h"
#include "collector/store/row_writer.h"
#include "support/files.h"

namespace mansard::collector {
namespace {

// The ends of one collective differ by a few µs, with many hosts by some tens of µs. Kernels that
// only share a name and position differ by as much as the steps do.
constexpr double kSimultaneous_ns = 1e6;

std::string counts(const MergedProfile& merged) {
  std::string text;
  for (const RankProfile& rank : merged.ranks) {
    std::size_t collectives = 0;
    for (const auto& [name, ends] : rank.collectives) collectives += ends.size();
    text += (text.empty() ? "" : ", ") + std::to_string(collectives) + " in " +
            rank.file.filename().string();
  }
  return text;
}

}  // namespace

MergedProfile plan_merge(const std::vector<std::filesystem::path>& files) {
  if (files.size() < 2) throw std::runtime_error("merge needs at least two profiles");
  MergedProfile merged;
  for (const std::filesystem::path& file : files) merged.ranks.push_back(read_rank(file));
  sort_and_check(merged.ranks);
  std::vector<CollectiveEnds> ends;
  for (const RankProfile& rank : merged.ranks) ends.push_back(rank.collectives);
  MatchedCollectives matched = match_collectives(ends);
  merged.collectives = matched.ends_ns.size();
  merged.uneven = std::move(matched.uneven);
  try {
    merged.alignment = align_clocks(matched.ends_ns);
  } catch (const std::runtime_error& error) {
    std::string why = error.what();
    why += " (NCCL's collectives: " + counts(merged) + ").";
    if (!merged.uneven.empty()) {
      why += " Ranks launched " + merged.uneven.front() +
             " different numbers of times: record all ranks from start to end, or the same steps "
             "of each.";
    }
    throw std::runtime_error(why);
  }
  if (merged.alignment.median_residual_ns > kSimultaneous_ns) {
    char residual[40];
    std::snprintf(residual, sizeof residual, "%.3g ms", 1e-6 * merged.alignment.median_residual_ns);
    throw std::runtime_error(
        "cannot align the clocks of the ranks: collectives that should end together end " +
        std::string(residual) +
        " apart (median). The profiles may be from different runs, or from ranks that are not in "
        "one group.");
  }
  return merged;
}

namespace {

namespace fs = std::filesystem;

std::int64_t merged_start(const MergedProfile& merged) {
  std::int64_t start = INT64_MAX;
  for (std::size_t i = 0; i < merged.ranks.size(); ++i) {
    const std::int64_t own = merged.ranks[i].session.start_utc_ns;
    start = std::min(start, own + merged.alignment.shifts[i].at(own));
  }
  return start;
}

store::SessionInfo session_of(const MergedProfile& merged) {
  store::SessionInfo session = merged.ranks.front().session;
  session.start_utc_ns = merged_start(merged);
  session.rank = -1;
  for (const RankProfile& rank : merged.ranks) {
    if (rank.session.host != session.host) session.host = store::kSeveralHosts;
  }
  return session;
}

// Writes rows about the merge itself; rows about each rank are copied with its tables.
void write_head(const MergedProfile& merged, const fs::path& file) {
  store::ProfileWriter writer(file, session_of(merged));
  std::int64_t dropped = 0;
  for (const RankProfile& rank : merged.ranks) dropped += rank.session.dropped_events;
  writer.set_session_value("ranks", std::to_string(merged.ranks.size()));
  writer.set_session_value("alignedCollectives", std::to_string(merged.collectives));
  writer.set_session_value("medianResidualNs",
                           std::to_string(std::llround(merged.alignment.median_residual_ns)));
  writer.set_session_value("largestResidualNs",
                           std::to_string(std::llround(merged.alignment.largest_residual_ns)));
  for (const RankProfile& rank : merged.ranks) {
    if (rank.session.imported_from.empty()) continue;
    writer.set_session_value("importedFrom", rank.session.imported_from);
    break;
  }
  if (dropped > 0) writer.set_session_value("droppedNvtxEvents", std::to_string(dropped));
  writer.commit();
}

store::RecordingState state_of(const MergedProfile& merged) {
  const bool complete =
      std::all_of(merged.ranks.begin(), merged.ranks.end(), [](const RankProfile& rank) {
        return rank.session.state == store::RecordingState::complete;
      });
  return complete ? store::RecordingState::complete : store::RecordingState::interrupted;
}

// As in Nsight Systems exports, a process is identified by its main thread.
struct MpiRankRow {
  std::int64_t global_tid = 0;
  std::int32_t rank = 0;
};

constexpr auto kMpiRanks = store::make_table<MpiRankRow>(
    "MPI_RANKS", "", store::column("globalTid", &MpiRankRow::global_tid).nullable(),
    store::column("rank", &MpiRankRow::rank).nullable());

struct RankRow {
  std::int32_t rank = 0;
  std::int64_t global_pid = 0;
  std::string_view host;
  std::int64_t pid = 0;
  std::string_view file;
  std::string_view state;
  std::int64_t start_utc_ns = 0;
  std::int64_t clock_offset_ns = 0;
  double clock_drift = 0;
};

constexpr auto kRanks = store::make_table<RankRow>(
    "MANSARD_RANKS", "The profiles that were merged, and how their clocks were aligned.",
    store::column("rank", &RankRow::rank).of_type(store::SqlType::integer, "NOT NULL PRIMARY KEY"),
    store::column("globalPid", &RankRow::global_pid),
    store::column("host", &RankRow::host).nullable(),
    store::column("pid", &RankRow::pid).nullable(),
    store::column("file", &RankRow::file).nullable(),
    store::column("state", &RankRow::state).nullable(),
    store::column("startUtcNs", &RankRow::start_utc_ns).nullable(),
    store::column("clockOffsetNs", &RankRow::clock_offset_ns).nullable(),
    store::column("clockDrift", &RankRow::clock_drift).nullable());

void write_rank_tables(store::Database& database, const MergedProfile& merged,
                       const std::vector<std::int64_t>& machines) {
  store::RowWriter<kMpiRanks> mpi_ranks(database);
  store::RowWriter<kRanks> ranks(database);
  for (std::size_t i = 0; i < merged.ranks.size(); ++i) {
    const RankProfile& rank = merged.ranks[i];
    const ClockShift& shift = merged.alignment.shifts[i];
    const std::int64_t global_pid = machines[i] << 48 | store::global_pid(rank.session.pid);
    mpi_ranks.insert({global_pid | rank.session.pid, rank.session.rank});
    ranks.insert({rank.session.rank, global_pid, rank.session.host, rank.session.pid,
                  rank.file.filename().native(), store::to_string(rank.session.state),
                  rank.session.start_utc_ns, shift.at(rank.session.start_utc_ns), shift.drift});
  }
}

}  // namespace

void write_merged(const MergedProfile& merged, const fs::path& output) {
  OutputFile unfinished(output, OutputKind::database);
  write_head(merged, unfinished.file());
  {
    store::Database database(unfinished.file().string(), store::Database::Access::read_write);
    // The logs of ranks are read without locks; nobody else uses this file.
    database.exec("PRAGMA locking_mode=EXCLUSIVE; DELETE FROM PROCESSES");
    std::map<std::string, std::int64_t> machine_of_scope;
    std::vector<std::int64_t> machines;
    TableCopier copier(database);
    const std::int64_t start = merged_start(merged);
    for (std::size_t i = 0; i < merged.ranks.size(); ++i) {
      const RankProfile& rank = merged.ranks[i];
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
