// SPDX-License-Identifier: Apache-2.0
#include "collector/merge/rank_recording.h"

#include <algorithm>
#include <stdexcept>

#include "collector/store/open_profile.h"
#include "collector/store/read_tables.h"

namespace mansard::collector {
namespace {

// Clocks of two hosts that nobody has set may differ by this much.
constexpr std::int64_t kUnsetClocks_ns = 60'000'000'000;

// Recordings of one boot have one clock.
std::string_view boot_of(const RankRecording& rank) {
  return std::string_view(rank.process_scope).substr(0, rank.process_scope.find(' '));
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw std::runtime_error(file.string() + ": " + why);
}

[[noreturn]] void refuse(const RankRecording& a, const RankRecording& b, const std::string& why) {
  throw std::runtime_error(a.file.string() + " and " + b.file.string() + " " + why);
}

void read_extent(store::Database& database, RankRecording& rank) {
  bool any = false;
  for (const char* table : {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME",
                            "CUPTI_ACTIVITY_KIND_MEMCPY", "NVTX_EVENTS"}) {
    if (!database.has_table(table)) continue;
    store::Statement extent = database.prepare(
        "SELECT min(start), max(ifnull(\"end\", start)) FROM " + std::string(table));
    if (!extent.step() || extent.is_null(0)) continue;
    const std::int64_t first = rank.session.start_utc_ns + extent.integer(0);
    const std::int64_t last = rank.session.start_utc_ns + extent.integer(1);
    rank.first_ns = any ? std::min(rank.first_ns, first) : first;
    rank.last_ns = any ? std::max(rank.last_ns, last) : last;
    any = true;
  }
  if (!any) refuse(rank.file, "has no events to merge");
}

}  // namespace

RankRecording read_rank(const std::filesystem::path& file) {
  store::OpenedProfile opened = store::open_profile(file);
  store::Database& database = opened.database;
  RankRecording rank;
  rank.file = file;
  if (!database.has_table("MANSARD_STATE")) {
    refuse(file, "was not recorded by `mansard profile`, and does not say which rank it is of");
  }
  if (database.has_table("MANSARD_RANKS")) refuse(file, "is a merged recording already");
  store::Profile head;
  try {
    store::read_session(database, head);
  } catch (const std::runtime_error& error) {
    refuse(file, error.what());
  }
  rank.session = head.session;
  if (opened.abandoned) rank.session.state = store::RecordingState::interrupted;
  if (rank.session.state == store::RecordingState::recording) {
    refuse(file, "is still being recorded; merge when the program has ended");
  }
  if (rank.session.rank < 0) {
    refuse(file,
           "is not of a rank of a job: neither RANK nor a variable of Slurm or MPI was set when it "
           "was recorded");
  }
  store::Statement state =
      store::select(database, "MANSARD_STATE", {"processScope", "processStartTime"});
  if (state.step()) {
    rank.process_scope = state.text(0);
    rank.process_start_ticks = state.integer(1);
  }
  read_extent(database, rank);
  rank.collectives = collective_ends(database, rank.session.start_utc_ns);
  return rank;
}

void sort_and_check(std::vector<RankRecording>& ranks) {
  std::stable_sort(ranks.begin(), ranks.end(), [](const RankRecording& a, const RankRecording& b) {
    return a.session.rank < b.session.rank;
  });
  // Two processes of a rank (a data loader) have recordings of one rank: which has the collectives
  // is for the user to see.
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    const RankRecording& a = ranks[i - 1];
    const RankRecording& b = ranks[i];
    if (a.session.rank != b.session.rank) continue;
    const bool same_process = a.session.pid == b.session.pid &&
                              a.process_scope == b.process_scope &&
                              a.process_start_ticks == b.process_start_ticks;
    refuse(a, b,
           same_process
               ? "are of the same process; give each recording once"
               : "are both of rank " + std::to_string(a.session.rank) + "; give one of each rank");
  }
  const RankRecording& first = ranks.front();
  for (const RankRecording& rank : ranks) {
    if (rank.session.command != first.session.command) {
      refuse(first, rank,
             "are of different jobs: they recorded '" + first.session.command + "' and '" +
                 rank.session.command + "'");
    }
    const std::int64_t slack_ns = boot_of(rank) == boot_of(first) ? 0 : kUnsetClocks_ns;
    if (rank.first_ns > first.last_ns + slack_ns || first.first_ns > rank.last_ns + slack_ns) {
      refuse(first, rank, "are of different jobs: one ended before the other began");
    }
  }
}

}  // namespace mansard::collector
