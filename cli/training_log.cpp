// SPDX-License-Identifier: Apache-2.0
#include "cli/training_log.h"

#include <charconv>
#include <filesystem>
#include <stdexcept>

#include "cli/write_file.h"

namespace mansard::cli {

double blocks_of(const kernels::mor::Counts& counts) {
  double sum = 0;
  for (const std::uint64_t blocks : counts.blocks) sum += static_cast<double>(blocks);
  return sum;
}

double share_of(const kernels::mor::Counts& counts, int representation) {
  return static_cast<double>(counts.blocks[representation]) / blocks_of(counts);
}

double share_in_fp8(const kernels::mor::Counts& counts) {
  return 1 - share_of(counts, static_cast<int>(kernels::mor::Representation::bf16));
}

TrainingLog::TrainingLog(const std::string& file, bool resumed, std::int64_t first_step,
                         bool force) {
  if (file.empty()) return;
  constexpr const char* kHeader =
      "step,loss,validation_loss,gradient_norm,learning_rate,time_s,tokens,e4m3,e5m2,bf16";
  std::string kept;
  if (resumed && std::filesystem::is_regular_file(file)) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    if (line != kHeader) {
      throw std::runtime_error("log '" + file +
                               "' was not written by 'mansard train'; give "
                               "another --log");
    }
    while (std::getline(in, line)) {
      std::int64_t step = 0;
      std::from_chars(line.data(), line.data() + line.size(), step);
      if (step < first_step) kept += line + '\n';
    }
    force = true;
  }
  write_file(file, std::string(kHeader) + '\n' + kept, force);
  out_.open(file, std::ios::app);
  out_.precision(9);
}

void TrainingLog::add(const kernels::StepReport& report, std::optional<double> validation_loss,
                      std::int64_t tokens, const std::optional<kernels::mor::Counts>& choices) {
  if (!out_.is_open()) return;
  out_ << report.step << ',' << report.loss << ',';
  if (validation_loss) out_ << *validation_loss;
  out_ << ',' << report.gradient_norm << ',' << report.learning_rate << ',' << report.time_s << ','
       << tokens;
  for (int i = 0; i < kernels::mor::kRepresentations; ++i) {
    out_ << ',';
    if (choices && blocks_of(*choices) > 0) out_ << share_of(*choices, i);
  }
  out_ << std::endl;
}

}  // namespace mansard::cli
