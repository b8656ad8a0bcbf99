// SPDX-License-Identifier: Apache-2.0
// Published throughput (published_steps.csv), to check predictions and to supply default settings.
#pragma once

#include <string>
#include <vector>

#include "analyzer/predict/step_prediction.h"

namespace mansard::analysis {

struct PublishedStep {
  std::string machine;  // name for find_target_machine()
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

// Returns the row of the model that best matches the machine, then the recipe; nullptr if the model
// has no rows.
const PublishedStep* nearest_published(const std::string& model, const std::string& machine,
                                       kernels::Recipe recipe);

struct PublishedComparison {
  const PublishedStep* published = nullptr;
  StepPrediction predicted;
  double error() const {  // relative error of tokens per second
    return predicted.tokens_per_s_per_gpu() / published->tokens_per_s_per_gpu - 1;
  }
};
std::vector<PublishedComparison> compare_with_published(const Assumptions& assumptions);

// All rows with the same settings, of any release. They count once, because more rows of one job
// are not more evidence for a prediction.
struct PublishedJob {
  std::vector<const PublishedComparison*> rows;  // not empty
  const PublishedStep& published() const { return *rows.front()->published; }
  const StepPrediction& predicted() const { return rows.front()->predicted; }
  double tokens_per_s_per_gpu() const;  // mean of the rows
  double error() const { return predicted().tokens_per_s_per_gpu() / tokens_per_s_per_gpu() - 1; }
  double sigma() const { return predicted().error_s / predicted().step_s; }  // relative
};

// Returns jobs in the order of their first rows, pointing into `comparisons`, without doubtful
// rows.
std::vector<PublishedJob> published_jobs(const std::vector<PublishedComparison>& comparisons);

// Statistics of a group of jobs.
struct PublishedStatistics {
  std::string group;
  int jobs = 0;
  double mean_error = 0;
  double mean_size = 0;  // mean |error|
  double largest = 0;    // error with the largest absolute value
  int within_one_sigma = 0;
};

// Returns these groups, without empty ones: all jobs; by use; by year of the software; by format,
// with and without context parallelism; by machine.
std::vector<PublishedStatistics> published_statistics(const std::vector<PublishedJob>& jobs);

}  // namespace mansard::analysis
