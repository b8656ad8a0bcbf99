// SPDX-License-Identifier: Apache-2.0
// The options of `mansard train` as the library takes them.
#pragma once

#include <cstdint>
#include <string>

#include "cli/rank_launcher.h"
#include "cli/train_model.h"
#include "kernels/distributed/collectives.h"
#include "kernels/training/trainer.h"

namespace mansard::cli {

// `vocabulary`: of the data. Throws UsageError for options that contradict each other.
kernels::TrainingOptions training_options(const TrainOptions& options, std::int64_t vocabulary,
                                          bool gpu);

// The launcher of --ranks. Throws UsageError for options of ranks that contradict each other.
LaunchOptions launch_options(const TrainOptions& options);

kernels::Transport transport_of(const TrainOptions& options);

// A text that is equal on all ranks of a run whose options agree.
std::string agreement_of(const TrainOptions& options, std::uint64_t data_fingerprint);

}  // namespace mansard::cli
