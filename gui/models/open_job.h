// SPDX-License-Identifier: Apache-2.0
// The ranks of a job and all that its page shows of them. Prepared once in the background and
// immutable afterwards.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/ranks/job_ranks.h"
#include "analyzer/ranks/step_grids.h"
#include "analyzer/table.h"
#include "collector/store/load_control.h"

namespace mansard::gui {

struct OpenJob {
  std::vector<std::filesystem::path> files;
  analysis::JobRanks ranks;
  std::vector<analysis::Finding> findings;
  std::vector<analysis::StepGrid> grids;  // arrival skew, own time; those that are not empty

  // The profile of a rank (index into JobRanks::ranks): the file that its summary was made from or,
  // if the files were moved together, one of this name beside the opened file or one folder above.
  // Empty if there is none.
  std::filesystem::path profile_of(std::size_t rank) const;
};

// Whether these arguments are opened as one job, and not as a tab each: a folder, a pattern
// without a match (which is then reported), a summary, or profiles of which two are of different
// ranks.
bool are_job(const std::vector<std::string>& arguments);

struct JobRequest {
  std::vector<std::string> arguments;  // files, patterns, or one folder
  std::filesystem::path summaries;     // folder; empty: summaries are neither read nor written
};

// Throws std::runtime_error if no file is the profile of a rank; LoadCanceled.
std::shared_ptr<const OpenJob> open_job(const JobRequest& request,
                                        const store::LoadControl& control = {});

}  // namespace mansard::gui
