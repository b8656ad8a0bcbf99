// SPDX-License-Identifier: Apache-2.0
#include "collector/store/profile.h"

#include <algorithm>
#include <array>
#include <future>
#include <numeric>
#include <sqlite3.h>

#include "collector/store/load_watch.h"
#include "collector/store/open_profile.h"
#include "collector/store/read_tables.h"

namespace mansard::store {
namespace {

// A database with any of these tables is a profile.
constexpr std::array kProfileTables = {"MANSARD_STATE",
                                       "NVTX_EVENTS",
                                       "CUPTI_ACTIVITY_KIND_KERNEL",
                                       "CUPTI_ACTIVITY_KIND_MEMCPY",
                                       "CUPTI_ACTIVITY_KIND_RUNTIME",
                                       "CUPTI_ACTIVITY_KIND_MEMSET",
                                       "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                       "TARGET_INFO_GPU"};

// Two connections, each on its own thread, fill different members. The kernel table is split in
// half, as it is large even without ranges. The second connection sees the same rows as the first,
// or a few more while the profile is still being written.
void read_large_tables(OpenedProfile& opened, LoadWatch& watch, Profile& profile) {
  RowIds first_ids(opened.database);
  RowSpan first_half = row_span(opened.database, "CUPTI_ACTIVITY_KIND_KERNEL");
  if (first_half.first <= first_half.last) {
    first_half.last = std::midpoint(first_half.first, first_half.last);
  }
  // Ids of several processes are numbered in order of appearance, so do not split the table then.
  if (!first_ids.correlations.is_our_own()) first_half = {1, 0};
  RecordPacker<KernelRecord> second_half;
  std::future<void> second = std::async(std::launch::async, [&] {
    Database database(opened.name, Database::Access::read_only);
    watch.watch(database);
    database.exec("BEGIN");
    RowIds ids(database);
    read_event_tables(database, ids, profile);
    const bool all = first_half.first > first_half.last;
    read_kernels(database, ids, all ? RowSpan{} : RowSpan{first_half.last + 1}, second_half);
    profile.correlations_unique = ids.correlations.unique();
  });
  read_text_tables(opened.database, first_ids, profile);
  RecordPacker<KernelRecord> kernels;
  if (first_half.first <= first_half.last) {
    read_kernels(opened.database, first_ids, first_half, kernels);
  }
  second.get();
  kernels.add(second_half.finish());
  profile.kernels = kernels.finish_by_start();
}

std::string locked(const std::filesystem::path& file) {
  return file.string() +
         ": is locked by a program that is writing to it. Try again when that is done, or close "
         "it.";
}

}  // namespace

std::string_view to_string(RecordingState state) {
  switch (state) {
    case RecordingState::recording:
      return "recording";
    case RecordingState::complete:
      return "complete";
    case RecordingState::interrupted:
      return "interrupted";
    case RecordingState::foreign:
      return "foreign";
  }
  return "foreign";
}

const std::string& Profile::string(StringId id) const {
  static const std::string none;
  const auto at = strings.find(id);
  return at == strings.end() ? none : at->second;
}

Profile load_profile(const std::filesystem::path& file) { return load_profile(file, {}); }

Profile load_profile(const std::filesystem::path& file, const LoadControl& control) {
  control.report("Opening the profile", 0);
  LoadWatch watch(control, bytes_on_disk(file));
  Profile profile;
  profile.file = file;
  try {
    OpenedProfile opened = open_profile(file);
    Database& database = opened.database;
    watch.watch(database);
    // One snapshot of all tables, even if recording continues.
    database.exec("BEGIN");
    if (std::none_of(kProfileTables.begin(), kProfileTables.end(),
                     [&](const char* table) { return database.has_table(table); })) {
      throw std::runtime_error(file.string() +
                               ": is a SQLite database, but not a profile. Give a file written by "
                               "`mansard profile` or `nsys export --type sqlite`.");
    }
    try {
      read_session(database, profile);
    } catch (const SqliteError&) {
      throw;
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(file.string() + ": " + error.what());
    }
    if (opened.abandoned) profile.session.state = RecordingState::interrupted;
    watch.expect(database);
    read_large_tables(opened, watch, profile);
    control.check();
    read_nsight_gpu_metrics(database, profile);
  } catch (const ImpossibleTime& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  } catch (const SqliteError& error) {
    const bool endless = error.code == SQLITE_INTERRUPT && watch.took_too_many_steps();
    if (error.code == SQLITE_INTERRUPT && !endless) throw LoadCanceled();
    if (error.code == SQLITE_BUSY) throw std::runtime_error(locked(file));
    if (error.code != SQLITE_CORRUPT && error.code != SQLITE_NOTADB && !endless) throw;
    throw std::runtime_error(
        file.string() + ": is damaged or was truncated (" + error.what() +
        "). Copy it again, or save what can be read with `sqlite3 FILE .recover`.");
  }
  return profile;
}

}  // namespace mansard::store
