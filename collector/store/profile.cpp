// SPDX-License-Identifier: Apache-2.0
#include "collector/store/profile.h"

#include <algorithm>
#include <array>
#include <future>
#include <sqlite3.h>
#include <utility>

#include "collector/store/load_watch.h"
#include "collector/store/open_profile.h"
#include "collector/store/range_part.h"
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

// Splits the rows of a table; the first part has this percentage of them. Everything is in the
// first part if the table is missing under this name.
std::pair<RowSpan, RowSpan> split_rows(Database& database, std::string_view table, int percent) {
  const RowSpan all = row_span(database, table);
  const RowSpan none = {1, 0};
  if (all.first > all.last || all.first < 0) return {RowSpan{}, none};
  const std::int64_t last = all.first + (all.last - all.first) / 100 * percent;
  return {{all.first, last}, {last + 1, all.last}};
}

// Above all ids of registered strings.
StringId first_free_string(Database& database) {
  if (!database.columns("StringIds").contains("id")) return 1;
  Statement most = database.prepare("SELECT max(id) FROM StringIds");
  most.step();
  return std::clamp<StringId>(most.integer(0), 0, StringId{1} << 62) + 1;
}

// Two connections, each on its own thread, fill different members. They share the tables of kernels
// and of NVTX events, as each can be much larger than all others. While the
// profile is still being written, the second connection may see a few more rows of other tables.
void read_large_tables(OpenedProfile& opened, LoadWatch& watch, Profile& profile) {
  constexpr int kKernels_percent = 50;
  constexpr int kRanges_percent = 60;  // the second connection also reads the API calls
  Database& first = opened.database;
  RowIds first_ids(first);
  auto [kernel_rows, more_kernel_rows] =
      split_rows(first, "CUPTI_ACTIVITY_KIND_KERNEL", kKernels_percent);
  // Ids of several processes are numbered in order of appearance, so do not split the table then.
  if (!first_ids.correlations.is_our_own()) {
    kernel_rows = {1, 0};
    more_kernel_rows = {};
  }
  const auto [range_rows, more_range_rows] = split_rows(first, "NVTX_EVENTS", kRanges_percent);
  const StringId first_text = first_free_string(first);
  RecordPacker<KernelRecord> more_kernels;
  RangePart more_ranges(first_text);
  std::future<void> second =
      std::async(std::launch::async, [&, rows = more_kernel_rows, ranges = more_range_rows] {
        Database database(opened.name, Database::Access::read_only);
        watch.watch(database);
        database.exec("BEGIN");
        RowIds ids(database);
        read_event_tables(database, ids, profile);
        read_kernels(database, ids, rows, more_kernels);
        more_ranges.read(database, ids, ranges);
        profile.correlations_unique = ids.correlations.unique();
      });
  read_strings(first, first_ids, profile);
  RecordPacker<KernelRecord> kernels;
  read_kernels(first, first_ids, kernel_rows, kernels);
  RangePart ranges(first_text);
  ranges.read(first, first_ids, range_rows);
  second.get();
  kernels.add(more_kernels.finish());
  profile.kernels = kernels.finish_by_start();
  ranges.append(more_ranges);
  ranges.move_to(profile);
  read_annotations(first, first_ids, profile);
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
