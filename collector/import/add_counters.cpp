// SPDX-License-Identifier: Apache-2.0
// Adds counters of Nsight Compute to a copy of a profile of the same program.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>

#include "collector/import/counter_notes.h"
#include "collector/import/match_counters.h"
#include "collector/store/open_profile.h"
#include "collector/store/profile.h"
#include "collector/store/row_writer.h"
#include "support/files.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::collector {
namespace {

namespace fs = std::filesystem;

// Copies the profile, with its log if there is one.
void copy_recording(const fs::path& recording, const fs::path& to) {
  fs::copy_file(recording, to, fs::copy_options::overwrite_existing);
  fs::permissions(to, fs::perms::owner_write, fs::perm_options::add);
  const fs::path log = recording.string() + "-wal";
  if (fs::exists(log)) fs::copy_file(log, to.string() + "-wal");
}

class ReadingTables {
 public:
  ReadingTables(store::Database& database, const store::Profile& profile) : database_(database) {
    for (const auto& [id, text] : profile.strings) {
      ids_.emplace(text, id);
      next_string_ = std::max(next_string_, id + 1);
    }
    if (!database.has_table("MANSARD_COUNTER_READING")) return;
    store::Statement last = database.prepare("SELECT max(id) FROM MANSARD_COUNTER_READING");
    if (last.step()) next_reading_ = last.integer(0) + 1;
  }

  // Uses the kernel's name and launch shape from the profile, because the analyses look for those.
  void add(const NcuLaunch& launch, const store::KernelRecord& kernel) {
    store::CounterReading reading;
    reading.id = next_reading_++;
    reading.start_ns = kernel.start_ns;
    reading.device_id = kernel.device_id;
    reading.demangled_name = kernel.demangled_name;
    reading.mangled_name = kernel.mangled_name;
    reading.grid = kernel.grid;
    reading.block = kernel.block;
    reading.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
    readings_.insert(reading);
    for (const auto& [metric, value] : stored_values(launch)) {
      values_.insert({reading.id, intern(metric), value});
    }
  }

  // Byte formulas depend on the GPU, which an old export may not name.
  void add(const store::GpuRecord& gpu) {
    if (database_.has_table("TARGET_INFO_GPU")) return;
    gpus_.insert(gpu);
  }

 private:
  store::StringId intern(const std::string& text) {
    const auto [at, is_new] = ids_.try_emplace(text, next_string_);
    if (is_new) strings_.insert({next_string_++, text});
    return at->second;
  }

  store::Database& database_;
  std::unordered_map<std::string, store::StringId> ids_;
  store::StringId next_string_ = 1;
  std::int64_t next_reading_ = 1;
  store::RowWriter<store::table<store::StringRow>> strings_{database_};
  store::RowWriter<store::table<store::CounterReading>> readings_{database_};
  store::RowWriter<store::table<store::CounterValueRow>> values_{database_};
  store::RowWriter<store::table<store::GpuRecord>> gpus_{database_};
};

std::vector<UnmatchedCounters> unmatched_counters(const CounterMatches& matches,
                                                  const std::vector<NcuLaunch>& launches) {
  std::vector<UnmatchedCounters> unmatched;
  for (const CounterMatch& match : matches.matches) {
    if (match.signatures.size() == 1) continue;
    const NcuLaunch& launch = launches[match.launches.front()];
    unmatched.push_back({launch.kernel, launch.grid, launch.block,
                         static_cast<std::int64_t>(match.launches.size()),
                         static_cast<std::int64_t>(match.signatures.size())});
  }
  return unmatched;
}

std::vector<UncountedKernel> uncounted_kernels(const CounterMatches& matches,
                                               const store::Profile& profile) {
  constexpr std::size_t kMax = 20;
  std::vector<UncountedKernel> uncounted;
  for (const KernelSignature& s : matches.signatures) {
    if (s.has_counters || uncounted.size() == kMax) continue;
    uncounted.push_back({profile.string(s.first.demangled_name), s.first.grid, s.first.block,
                         s.launches, s.time_s});
  }
  return uncounted;
}

}  // namespace

ImportResult add_counters(const fs::path& recording, const std::vector<fs::path>& files,
                          const fs::path& output) {
  ImportResult result;
  const store::Profile profile = store::load_profile(recording);
  if (profile.session.state == store::RecordingState::recording) {
    throw std::runtime_error(recording.string() +
                             ": is still being recorded; wait until its program has ended");
  }
  if (profile.kernels.empty()) {
    throw std::runtime_error(recording.string() + ": has no kernels to add counters to");
  }
  const std::vector<NcuLaunch> launches = read_tables(files, result);
  const CounterMatches matches = match_counters(profile, launches);
  const auto matched =
      std::count_if(matches.matches.begin(), matches.matches.end(),
                    [](const CounterMatch& match) { return match.signatures.size() == 1; });
  if (matched == 0) {
    throw std::runtime_error(files.front().string() + ": no kernel matches one in " +
                             recording.string() +
                             " by name, grid and block. Are both from the same program "
                             "with the same shapes?");
  }
  OutputFile unfinished(output, OutputKind::database);
  copy_recording(recording, unfinished.file());
  {
    store::Database database(unfinished.file().string(), store::Database::Access::read_write);
    database.exec("BEGIN");
    for (const std::string_view table : store::kAnalysisTables) {
      database.exec("DROP TABLE IF EXISTS " + std::string(table));
    }
    ReadingTables tables(database, profile);
    for (const CounterMatch& match : matches.matches) {
      if (match.signatures.size() != 1) continue;
      for (const std::size_t launch : match.launches) {
        tables.add(launches[launch], matches.signatures[match.signatures.front()].first);
        result.imported.count("launches with counters");
      }
    }
    if (profile.gpus.empty()) {
      for (const store::GpuRecord& gpu : gpus_of(launches)) tables.add(gpu);
    }
    if (profile.session.state == store::RecordingState::interrupted) {
      database.exec("UPDATE MANSARD_STATE SET state = 'interrupted'");
    }
    database.exec("COMMIT");
    database.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE;");
  }
  unfinished.finish();
  result.summary = "Counters added for " +
                   format_percent(matches.all_s > 0 ? matches.with_counters_s / matches.all_s : 0) +
                   " of kernel time: " + std::to_string(matched) + " of " +
                   std::to_string(matches.matches.size()) +
                   " kernel signatures in the table match one of the profile's " +
                   std::to_string(matches.signatures.size()) + ".";
  result.unmatched = unmatched_counters(matches, launches);
  result.uncounted = uncounted_kernels(matches, profile);
  return result;
}

}  // namespace mansard::collector
