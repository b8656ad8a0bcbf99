// SPDX-License-Identifier: Apache-2.0
#include "cli/analyze_ranks.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <thread>

#include "analyzer/classify/kernel_rules.h"
#include "analyzer/ranks/collect_summaries.h"
#include "analyzer/ranks/rank_files.h"
#include "analyzer/ranks/ranks_finding.h"
#include "analyzer/ranks/summary_file.h"
#include "cli/command.h"
#include "cli/format_option.h"
#include "cli/input_guard.h"
#include "cli/output.h"
#include "cli/print_findings.h"
#include "cli/progress_bar.h"
#include "cli/write_file.h"
#include "support/job_rank.h"
#include "support/text.h"
#include "support/units.h"

namespace mansard::cli {
namespace {

namespace fs = std::filesystem;

// Task `number` of `count` takes every count-th file.
struct Task {
  int number = 0;
  int count = 1;
};

Task task_of_environment() {
  try {
    const JobRank task = job_rank_of_environment().value_or(JobRank{});
    return {task.rank, task.size};
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

std::vector<fs::path> share_of(const std::vector<fs::path>& files, const Task& task) {
  std::vector<fs::path> share;
  for (std::size_t i = static_cast<std::size_t>(task.number); i < files.size();
       i += static_cast<std::size_t>(task.count)) {
    share.push_back(files[i]);
  }
  return share;
}

// Two files in different folders may have one name.
void require_own_summaries(const std::vector<fs::path>& files, const fs::path& folder) {
  std::map<fs::path, fs::path> profiles;
  for (const fs::path& file : files) {
    const auto [at, added] = profiles.try_emplace(analysis::summary_path(folder, file), file);
    if (!added) {
      throw UsageError(at->second.string() + " and " + file.string() +
                       " would have the same summary, " + at->first.string() +
                       "; use another --summaries folder for each");
    }
  }
}

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);  // another task may create it at the same time
  if (!fs::is_directory(folder)) {
    throw std::runtime_error("cannot create the folder '" + folder.string() + "'" +
                             (error ? ": " + error.message() : ""));
  }
}

// Shows how many profiles are done, and how long the others will take.
class Progress {
 public:
  void operator()(std::size_t done, std::size_t all) {
    const std::chrono::duration<double> past = std::chrono::steady_clock::now() - start_;
    const double each_s = past.count() / static_cast<double>(done);
    bar_.update(static_cast<int>(done), static_cast<int>(all),
                each_s * static_cast<double>(all - done), "profiles");
  }

 private:
  ProgressBar bar_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string text_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

analysis::CollectedRanks collect(const AnalyzeRanksOptions& o, const std::vector<fs::path>& files) {
  std::optional<analysis::KernelRules> rules;
  analysis::SummaryOptions options;
  if (!o.rules.empty()) {
    options.rules = &rules.emplace(analysis::load_kernel_rules(o.rules));
    options.rules_text = text_of(o.rules);
  }
  options.step_range = o.step_range;
  options.folder = o.summaries;
  options.jobs =
      o.jobs > 0 ? o.jobs : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  Progress progress;
  options.progress = [&](std::size_t done, std::size_t all) { progress(done, all); };
  return analysis::collect_summaries(files, options);
}

// One of several tasks: the results are the files.
int summarize_share(const AnalyzeRanksOptions& o, const Task& task) {
  const std::vector<fs::path> files = share_of(o.files, task);
  const analysis::CollectedRanks collected = collect(o, files);
  std::size_t failed = 0;
  for (const analysis::RankSource& source : collected.sources) {
    if (source.summary) continue;
    ++failed;
    say(source.problem);
  }
  say("task " + std::to_string(task.number) + " of " + std::to_string(task.count) + ": " +
      format_whole(static_cast<std::int64_t>(files.size())) + " of " +
      format_number_of(static_cast<std::int64_t>(o.files.size()), "profile") + ", " +
      format_whole(static_cast<std::int64_t>(collected.written)) + " summarized, " +
      format_whole(static_cast<std::int64_t>(collected.reused)) + " already done, " +
      format_whole(static_cast<std::int64_t>(failed)) + " not analyzed");
  // Only one of the tasks says what comes next.
  if (task.number == 0) {
    suggest_next("mansard analyze '" + o.summaries + "/*" + std::string(analysis::kSummarySuffix) +
                 "'");
  }
  return exit_ok;
}

// Explains the slowest rank's kernels.
void suggest_comparison(const analysis::JobRanks& job) {
  if (job.slow.empty() || job.slow.front() == job.median_rank) return;
  const std::string median = job.summaries[job.median_rank].file;
  const std::string slow = job.summaries[job.slow.front()].file;
  if (fs::exists(median) && fs::exists(slow)) {
    suggest_next("mansard compare " + join_command({median, slow}));
  }
}

}  // namespace

std::vector<fs::path> expand_files(const std::vector<std::string>& arguments) {
  try {
    return analysis::expand_rank_files(arguments);
  } catch (const std::runtime_error& error) {
    throw UsageError(error.what());
  }
}

bool are_ranks(const std::vector<fs::path>& files) {
  return files.size() > 1 || (files.size() == 1 && analysis::is_summary(files.front()));
}

int analyze_ranks_command(const AnalyzeRanksOptions& o) {
  std::vector<std::string> names;
  for (const fs::path& file : o.files) names.push_back(file.string());
  require_no_input(o.output, {{"one of the profiles", names}, {"the --rules file", {o.rules}}});
  if (!o.output.empty()) require_writable(o.output, o.force);
  if (!o.summaries.empty()) {
    require_own_summaries(o.files, o.summaries);
    create_folder(o.summaries);
    const Task task = o.merge ? Task{} : task_of_environment();
    if (task.count > 1) return summarize_share(o, task);
  }
  analysis::CollectedRanks collected = collect(o, o.files);
  const analysis::JobRanks job = analysis::compare_ranks(std::move(collected.sources));

  const reports::Format format = format_of(o.format);
  const bool brief = prints_overview(format, o.all);
  const std::vector<analysis::Finding> findings =
      brief ? std::vector{analysis::job_overview(job)} : analysis::job_findings(job);
  print_findings(findings, format, {o.output, o.force, o.rows, brief});
  if (brief) say("--all prints all tables; --format html -o job.html writes a page with charts");
  suggest_comparison(job);
  return exit_ok;
}

}  // namespace mansard::cli
