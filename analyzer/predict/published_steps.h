// SPDX-License-Identifier: Apache-2.0
// Published throughput (published_steps.csv): what predictions are held against, and whose settings
// they take by default.
#pragma once

#include <string>
#include <vector>

#include "analyzer/predict/step_prediction.h"

namespace mansard::analysis {

struct PublishedStep {
  std::string machine;  // as find_target_machine() takes it
  std::string keep_bf16;
  std::string recompute;
  TrainingJob job;
  double tokens_per_s_per_gpu = 0;
  std::string use;  // "set", "listed", "seen", "held-out" or "doubtful"
  std::string source;

  double step_s() const {
    return static_cast<double>(job.global_batch * job.sequence) /
           (tokens_per_s_per_gpu * static_cast<double>(job.gpus));
  }
};

const std::vector<PublishedStep>& published_steps();

// The row whose settings are nearest to what is asked for: of the model, then the machine, then the
// recipe. Null where the model was never published.
const PublishedStep* nearest_published(const std::string& model, const std::string& machine,
                                       kernels::Recipe recipe);

struct PublishedComparison {
  const PublishedStep* published = nullptr;
  StepPrediction predicted;
  double error() const {  // of tokens a second, relative
    return predicted.tokens_per_s_per_gpu() / published->tokens_per_s_per_gpu - 1;
  }
};
std::vector<PublishedComparison> compare_with_published(const Assumptions& assumptions);

// Rows of one job, that is with all settings alike, in whatever release: many rows of one job are
// no more evidence for a prediction than one.
struct PublishedJob {
  std::vector<const PublishedComparison*> rows;  // not empty
  const PublishedStep& published() const { return *rows.front()->published; }
  const StepPrediction& predicted() const { return rows.front()->predicted; }
  double tokens_per_s_per_gpu() const;  // mean of the rows
  double error() const { return predicted().tokens_per_s_per_gpu() / tokens_per_s_per_gpu() - 1; }
  double sigma() const { return predicted().error_s / predicted().step_s; }  // relative
};

// In the order of their first rows; they point into `comparisons`. Doubtful rows are left out.
std::vector<PublishedJob> published_jobs(const std::vector<PublishedComparison>& comparisons);

// Of a group of jobs.
struct PublishedStatistics {
  std::string group;
  int jobs = 0;
  double mean_error = 0;
  double mean_size = 0;  // of the errors
  double largest = 0;    // of the errors by size, with its sign
  int within_one_sigma = 0;
};

// All jobs; by use; by the year of the software; by format, with and without context parallelism;
// by machine. Groups without jobs are left out.
std::vector<PublishedStatistics> published_statistics(const std::vector<PublishedJob>& jobs);

}  // namespace mansard::analysis
