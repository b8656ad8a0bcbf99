// SPDX-License-Identifier: Apache-2.0
// The numerics record of `mansard train`: NVTX marks (kernels/annotation/training_annotation.h),
// for an attached profiler and for a profile of their own (--record).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "collector/store/profile_writer.h"
#include "kernels/annotation/training_annotation.h"

namespace mansard::cli {

// Throws std::runtime_error if a record cannot be written to this file: it exists and `force` is
// false, it is being written, or its folder is not writable. `pattern` may have placeholders
// (collector/session/output_pattern.h).
void require_record(const std::string& pattern, bool force);

class TrainingRecord {
 public:
  // `pattern` may be "": marks only. Replaces an existing file if `force` is set.
  TrainingRecord(const std::string& pattern, bool force);
  ~TrainingRecord();  // without finish(): the profile is marked as interrupted
  TrainingRecord(const TrainingRecord&) = delete;
  TrainingRecord& operator=(const TrainingRecord&) = delete;

  void add(const std::vector<kernels::TensorNumerics>& numerics);
  void add(const kernels::TrainingProgress& step);
  void finish();

  const std::filesystem::path& file() const { return file_; }  // "": none

 private:
  void mark(const std::string& text);

  std::filesystem::path file_;
  std::unique_ptr<store::ProfileWriter> writer_;  // null: no file, or finished
  std::int64_t start_utc_ns_ = 0;
  std::int64_t global_tid_ = 0;
  std::chrono::steady_clock::time_point committed_;
};

}  // namespace mansard::cli
