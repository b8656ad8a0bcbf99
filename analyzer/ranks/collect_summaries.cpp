// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/collect_summaries.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <malloc.h>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

#include <sys/stat.h>

#include "analyzer/controlled_analysis.h"
#include "analyzer/ranks/summary_file.h"
#include "collector/store/load_control.h"
#include "collector/store/sqlite.h"
#include "support/hash.h"

namespace mansard::analysis {
namespace {

namespace fs = std::filesystem;

// Identifies what a summary depends on besides the profile.
std::string options_text(const SummaryOptions& options) {
  HashBuilder rules;
  for (const char c : options.rules_text) rules.add(c);
  return "steps=" + options.step_range +
         " rules=" + (options.rules_text.empty() ? "built-in" : std::to_string(rules.hash()));
}

// Sets size and time of the file as it is now. A profile that was not closed has a log beside it.
void set_file(const fs::path& file, RankSummary& summary) {
  summary.file_bytes = static_cast<std::int64_t>(store::bytes_on_disk(file));
  struct stat status {};
  if (stat(file.c_str(), &status) == 0) {
    summary.file_changed_utc_ns =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  }
}

// The folder may be mounted elsewhere on another node, so only the name counts.
bool is_of(const RankSummary& summary, const fs::path& file, const std::string& options) {
  RankSummary now;
  set_file(file, now);
  return fs::path(summary.file).filename() == file.filename() &&
         summary.file_bytes == now.file_bytes &&
         summary.file_changed_utc_ns == now.file_changed_utc_ns && summary.options == options;
}

// Also as SQLite reports it, and a thread without memory for its stack.
bool is_out_of_memory(const std::exception& error) {
  constexpr int kSqliteNoMemory = 7;  // SQLITE_NOMEM
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return true;
  if (const auto* sqlite = dynamic_cast<const store::SqliteError*>(&error)) {
    return sqlite->code == kSqliteNoMemory;
  }
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  return system != nullptr && system->code() == std::errc::resource_unavailable_try_again;
}

class Collector {
 public:
  Collector(const std::vector<fs::path>& files, const SummaryOptions& options)
      : files_(files), options_(options), options_text_(options_text(options)) {
    result_.sources.resize(files.size());
    for (std::size_t i = 0; i < files.size(); ++i) result_.sources[i].file = files[i];
  }

  CollectedRanks run() {
    const std::size_t workers =
        std::min(static_cast<std::size_t>(std::max(options_.jobs, 1)), files_.size());
    std::vector<std::thread> threads;
    try {
      for (std::size_t i = 1; i < workers; ++i) threads.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The memory limit allows no more threads: fewer do the work.
    }
    work();
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
    for (const std::size_t i : too_large_) {
      if (summarize(i)) continue;
      result_.sources[i].problem =
          files_[i].string() +
          ": does not fit the memory limit, even alone; try --jobs 1, or set MANSARD_MEMORY=SIZE";
    }
    return std::move(result_);
  }

 private:
  void work() {
    for (std::size_t i = next_++; i < files_.size() && !stop_; i = next_++) {
      try {
        if (options_.canceled != nullptr && *options_.canceled) throw store::LoadCanceled();
        if (!summarize(i)) {
          const std::lock_guard lock(mutex_);
          too_large_.push_back(i);
        }
      } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        stop_ = true;
      }
      // The memory of a large profile would otherwise stay with the allocator of this thread.
      malloc_trim(0);
    }
  }

  // Returns false if the memory does not suffice.
  bool summarize(std::size_t i) {
    RankSource& source = result_.sources[i];
    bool reused = false;
    bool made = false;
    try {
      if (is_summary(files_[i])) {
        source.summary = read_summary(files_[i]);
      } else if (auto existing = existing_summary(files_[i])) {
        source.summary = std::move(existing);
        reused = true;
      } else {
        source.summary = summary_of(files_[i]);
        made = true;
      }
    } catch (const store::LoadCanceled&) {
      throw;
    } catch (const std::exception& error) {
      if (is_out_of_memory(error)) return false;
      const std::string file = files_[i].string();
      const std::string what = error.what();
      source.problem = what.starts_with(file) ? what : file + ": " + what;
    }
    if (made && !options_.folder.empty()) {
      write_summary(*source.summary, summary_path(options_.folder, files_[i]));
    }
    const std::lock_guard lock(mutex_);
    result_.reused += reused ? 1 : 0;
    result_.written += made && !options_.folder.empty() ? 1 : 0;
    if (options_.progress) options_.progress(++done_, files_.size());
    return true;
  }

  std::optional<RankSummary> existing_summary(const fs::path& file) const {
    if (options_.folder.empty()) return std::nullopt;
    try {
      RankSummary summary = read_summary(summary_path(options_.folder, file));
      if (is_of(summary, file, options_text_)) return summary;
    } catch (const std::runtime_error&) {
      // None, or not a valid one: it is made again.
    }
    return std::nullopt;
  }

  RankSummary summary_of(const fs::path& file) const {
    const collector::RankHead head = collector::read_rank_head(file);
    AnalysisOptions analysis;
    analysis.rules = options_.rules;
    analysis.step_range = options_.step_range;
    store::LoadControl control;
    control.canceled = options_.canceled;
    const RunAnalysis run = analyze_run(store::load_profile(file, control), {}, analysis, control);
    RankSummary summary = summarize_rank(head, run, options_text_);
    set_file(file, summary);
    return summary;
  }

  const std::vector<fs::path>& files_;
  const SummaryOptions& options_;
  const std::string options_text_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::vector<std::size_t> too_large_;
  std::size_t done_ = 0;
  CollectedRanks result_;
};

}  // namespace

CollectedRanks collect_summaries(const std::vector<fs::path>& files,
                                 const SummaryOptions& options) {
  return Collector(files, options).run();
}

}  // namespace mansard::analysis
