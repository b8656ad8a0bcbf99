// SPDX-License-Identifier: Apache-2.0
#include "collector/merge/rank_recording.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "collector/store/open_profile.h"
#include "collector/store/read_tables.h"
#include "collector/store/schema.h"

namespace mansard::collector {
namespace {

// Unsynchronized clocks of two hosts may differ by this much.
constexpr std::int64_t kUnsetClocks_ns = 60'000'000'000;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  throw std::runtime_error(file.string() + ": " + why);
}

[[noreturn]] void refuse(const RankProfile& a, const RankProfile& b, const std::string& why) {
  throw std::runtime_error(a.file.string() + " and " + b.file.string() + " " + why);
}

void read_extent(store::Database& database, RankProfile& rank) {
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

RankHead head_of(const std::filesystem::path& file, store::OpenedProfile& opened) {
  store::Database& database = opened.database;
  RankHead rank;
  rank.file = file;
  if (!database.has_table("MANSARD_STATE")) {
    refuse(file, "was not written by `mansard profile` and does not state its rank");
  }
  if (database.has_table("MANSARD_RANKS")) refuse(file, "is already a merged profile");
  store::Profile head;
  try {
    store::read_session(database, head);
  } catch (const std::runtime_error& error) {
    refuse(file, error.what());
  }
  rank.session = head.session;
  if (opened.abandoned) rank.session.state = store::RecordingState::interrupted;
  if (rank.session.state == store::RecordingState::recording) {
    refuse(file, "is still being recorded; try again after the program has ended");
  }
  if (rank.session.rank < 0) {
    refuse(file,
           "has no rank: neither RANK nor a rank variable of Slurm or MPI was set when it was "
           "recorded");
  }
  store::Statement state =
      store::select(database, "MANSARD_STATE", {"processScope", "processStartTime"});
  if (state.step()) {
    rank.process_scope = state.text(0);
    rank.process_start_ticks = state.integer(1);
  }
  store::Statement values = store::select(database, "MANSARD_SESSION", {"name", "value"});
  while (values.step()) {
    if (values.text(0) != store::kWorldSize) continue;
    const std::string text = values.text(1);
    std::from_chars(text.data(), text.data() + text.size(), rank.world_size);
  }
  return rank;
}

}  // namespace

RankHead read_rank_head(const std::filesystem::path& file) {
  store::OpenedProfile opened = store::open_profile(file);
  return head_of(file, opened);
}

RankProfile read_rank(const std::filesystem::path& file) {
  store::OpenedProfile opened = store::open_profile(file);
  store::Database& database = opened.database;
  RankProfile rank;
  static_cast<RankHead&>(rank) = head_of(file, opened);
  read_extent(database, rank);
  rank.collectives = collective_ends(database, rank.session.start_utc_ns);
  return rank;
}

void sort_and_check(std::vector<RankProfile>& ranks) {
  std::stable_sort(ranks.begin(), ranks.end(), [](const RankProfile& a, const RankProfile& b) {
    return a.session.rank < b.session.rank;
  });
  // Two processes of one rank (for example data loader workers) both have profiles. The user must
  // choose the one with the collectives.
  for (std::size_t i = 1; i < ranks.size(); ++i) {
    const RankProfile& a = ranks[i - 1];
    const RankProfile& b = ranks[i];
    if (a.session.rank != b.session.rank) continue;
    const bool same_process = a.session.pid == b.session.pid &&
                              a.process_scope == b.process_scope &&
                              a.process_start_ticks == b.process_start_ticks;
    refuse(a, b,
           same_process ? "are from the same process; give each profile once"
                        : "are both from rank " + std::to_string(a.session.rank) +
                              "; give one profile per rank");
  }
  const RankProfile& first = ranks.front();
  for (const RankProfile& rank : ranks) {
    if (rank.session.command != first.session.command) {
      refuse(first, rank,
             "are from different jobs: their commands are '" + first.session.command + "' and '" +
                 rank.session.command + "'");
    }
    const std::int64_t slack_ns = rank.boot() == first.boot() ? 0 : kUnsetClocks_ns;
    if (rank.first_ns > first.last_ns + slack_ns || first.first_ns > rank.last_ns + slack_ns) {
      refuse(first, rank, "are from different jobs: one ended before the other started");
    }
  }
}

}  // namespace mansard::collector
