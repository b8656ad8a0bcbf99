// SPDX-License-Identifier: Apache-2.0
// Published throughput (published_steps.csv): what predictions are held against, and whose settings
// they take by default.
#pragma once

#include <string>
#include <vector>

#include "analyzer/predict/step_prediction.h"

namespace mansard {

struct PublishedStep {
  std::string machine;  // as find_target_machine() takes it
  std::string keep_bf16;
  std::string recompute;
  TrainingJob job;
  double tokens_per_s_per_gpu = 0;
  std::string use;  // "set", "listed", "seen" or "held-out"
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
                                       Recipe recipe);

struct PublishedComparison {
  const PublishedStep* published = nullptr;
  StepPrediction predicted;
  double error() const {  // of tokens a second, relative
    return predicted.tokens_per_s_per_gpu() / published->tokens_per_s_per_gpu - 1;
  }
};
std::vector<PublishedComparison> compare_with_published(const Assumptions& assumptions);

}  // namespace mansard
