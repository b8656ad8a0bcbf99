// SPDX-License-Identifier: Apache-2.0
#include "collector/store/profile.h"

#include <algorithm>
#include <array>
#include <future>
#include <sqlite3.h>

#include "collector/store/open_profile.h"
#include "collector/store/read_tables.h"

namespace mansard {
namespace {

// Any of these makes a database a profile.
constexpr std::array kProfileTables = {"MANSARD_STATE",
                                       "NVTX_EVENTS",
                                       "CUPTI_ACTIVITY_KIND_KERNEL",
                                       "CUPTI_ACTIVITY_KIND_MEMCPY",
                                       "CUPTI_ACTIVITY_KIND_RUNTIME",
                                       "CUPTI_ACTIVITY_KIND_MEMSET",
                                       "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                                       "TARGET_INFO_GPU"};

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

Profile load_profile(const std::filesystem::path& file) {
  Profile profile;
  profile.file = file;
  try {
    OpenedProfile opened = open_profile(file);
    Database& database = opened.database;
    // One snapshot of all tables, though the recording may go on.
    database.exec("BEGIN");
    if (std::none_of(kProfileTables.begin(), kProfileTables.end(),
                     [&](const char* table) { return database.has_table(table); })) {
      throw std::runtime_error(file.string() +
                               ": is a SQLite database without a profile in it. Give a file "
                               "written by `mansard profile` or `nsys export --type sqlite`.");
    }
    try {
      read_session(database, profile);
    } catch (const SqliteError&) {
      throw;
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(file.string() + ": " + error.what());
    }
    if (opened.abandoned) profile.session.state = RecordingState::interrupted;
    // The two halves fill different members. A second connection sees the same rows, and of a
    // recording that goes on perhaps a few more.
    std::future<void> device_half = std::async(std::launch::async, [&] {
      Database second(opened.name, Database::Access::read_only);
      second.exec("BEGIN");
      CorrelationIds ids(second);
      read_device_tables(second, ids, profile);
      read_cuda_tables(second, ids, profile);
      profile.correlations_unique = ids.unique();
    });
    read_text_tables(database, profile);
    device_half.get();
    read_nsight_gpu_metrics(database, profile);
    read_counters(database, profile);
    read_collectives(database, profile);
  } catch (const SqliteError& error) {
    if (error.code != SQLITE_CORRUPT && error.code != SQLITE_NOTADB) throw;
    throw std::runtime_error(
        file.string() + ": is damaged or was truncated (" + error.what() +
        "). Copy it again, or save what can be read with `sqlite3 FILE .recover`.");
  }
  return profile;
}

}  // namespace mansard
