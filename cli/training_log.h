// SPDX-License-Identifier: Apache-2.0
// The CSV file of `mansard train --log`, with a line per step.
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "kernels/training/trainer.h"

namespace mansard::cli {

// Choices of MoR: of tensors, or of blocks.
double blocks_of(const kernels::mor::Counts& counts);
double share_of(const kernels::mor::Counts& counts, int representation);
double share_in_fp8(const kernels::mor::Counts& counts);

class TrainingLog {
 public:
  // `file` may be "": nothing is written. A resumed run keeps the lines before its first step.
  // Throws std::runtime_error if the file cannot be written, or is another file's and would be
  // replaced.
  TrainingLog(const std::string& file, bool resumed, std::int64_t first_step, bool force);

  // `choices`: of MoR since the line before that had them; empty: not known for this step.
  void add(const kernels::StepReport& report, std::optional<double> validation_loss,
           std::int64_t tokens, const std::optional<kernels::mor::Counts>& choices);

 private:
  std::ofstream out_;
};

}  // namespace mansard::cli
