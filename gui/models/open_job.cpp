// SPDX-License-Identifier: Apache-2.0
#include "gui/models/open_job.h"

#include <algorithm>
#include <system_error>
#include <thread>

#include "analyzer/ranks/collect_summaries.h"
#include "analyzer/ranks/rank_files.h"
#include "analyzer/ranks/ranks_finding.h"

namespace mansard::gui {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const JobRequest& request) {
  std::error_code error;
  if (request.arguments.size() == 1 && fs::is_directory(request.arguments.front(), error)) {
    return analysis::rank_files_in(request.arguments.front());
  }
  return analysis::expand_rank_files(request.arguments);
}

}  // namespace

bool are_job(const std::vector<std::string>& arguments) {
  std::error_code error;
  if (arguments.size() == 1 && fs::is_directory(arguments.front(), error)) return true;
  try {
    return analysis::are_files_of_job(analysis::expand_rank_files(arguments));
  } catch (const std::runtime_error&) {
    return true;  // loading the job reports it
  }
}

fs::path OpenJob::profile_of(std::size_t rank) const {
  const fs::path stated = ranks.summaries[ranks.ranks[rank].index].file;
  std::vector<fs::path> places = {stated};
  if (!files.empty()) {
    const fs::path folder = fs::absolute(files.front()).parent_path();
    places.push_back(folder / stated.filename());
    places.push_back(folder.parent_path() / stated.filename());
  }
  std::error_code error;
  const auto found = std::ranges::find_if(
      places, [&](const fs::path& file) { return fs::is_regular_file(file, error); });
  return found == places.end() ? fs::path() : *found;
}

std::shared_ptr<const OpenJob> open_job(const JobRequest& request,
                                        const store::LoadControl& control) {
  auto job = std::make_shared<OpenJob>();
  job->files = files_of(request);
  analysis::SummaryOptions options;
  options.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options.canceled = control.canceled;
  options.folder = request.summaries;
  options.progress = [&](std::size_t done, std::size_t all) {
    if (!control.progress) return;
    control.progress("Summarizing the ranks", static_cast<double>(done) / static_cast<double>(all));
  };
  if (!request.summaries.empty()) fs::create_directories(request.summaries);
  analysis::CollectedRanks collected = analysis::collect_summaries(job->files, options);
  control.check();
  job->ranks = analysis::compare_ranks(std::move(collected.sources));
  control.check();
  job->findings = analysis::job_findings(job->ranks);
  for (analysis::StepGrid grid :
       {analysis::arrival_grid(job->ranks), analysis::own_time_grid(job->ranks)}) {
    if (!grid.is_empty()) job->grids.push_back(std::move(grid));
  }
  return job;
}

}  // namespace mansard::gui
