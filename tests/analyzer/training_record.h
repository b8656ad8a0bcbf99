// SPDX-License-Identifier: Apache-2.0
// A training record with known answers, as rows in memory or as the marks of a file.
#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/run_analysis.h"
#include "collector/store/profile_writer.h"

namespace mansard::test {

struct TrainingRecord {
  std::vector<kernels::TensorNumerics> numerics;
  std::vector<kernels::TrainingProgress> steps;
};

inline kernels::TensorNumerics operand(std::int64_t step, const std::string& layer,
                                       const std::string& tensor, const std::string& gemm,
                                       std::optional<Precision> format,
                                       std::optional<double> snr_db) {
  kernels::TensorNumerics n{.step = step, .layer = layer, .tensor = tensor, .gemm = gemm};
  n.format = format;
  n.elements = 4096;
  n.amax = 2 + 0.25 * static_cast<double>(step);
  n.rms = 0.5;
  n.underflow = 0.125;
  n.saturated = 0.0;
  n.snr_db = snr_db;
  return n;
}

inline std::string layer_name(int layer) {
  return "layers." + std::to_string(layer) + ".attention.in";
}

// Steps 0 to `steps` - 1 of 1000 tokens each; every 10th and the last record the operands of four
// layers in NVFP4. SNR: x in fprop of layer k: 20 - k dB in every step; dy in wgrad: 16 dB, in the
// last layer 8 dB. Loss: 10 / (1 + step / 10) + `above`; the validation loss is 0.5 higher, in the
// recorded steps.
inline TrainingRecord training_record(std::int64_t steps, double above = 0) {
  TrainingRecord record;
  for (std::int64_t step = 0; step < steps; ++step) {
    const double loss = 10 / (1 + static_cast<double>(step) / 10) + above;
    const bool recorded = step % 10 == 0 || step + 1 == steps;
    record.steps.push_back({step, 1000 * (step + 1), loss,
                            recorded ? std::optional(loss + 0.5) : std::nullopt, 3e-4, 0.75});
    if (!recorded) continue;
    for (int layer = 0; layer < 4; ++layer) {
      record.numerics.push_back(
          operand(step, layer_name(layer), "x", "fprop", Precision::nvfp4, 20.0 - layer));
      record.numerics.push_back(operand(step, layer_name(layer), "dy", "wgrad", Precision::nvfp4,
                                        layer == 3 ? 8.0 : 16.0));
    }
  }
  return record;
}

inline void add_record(store::Profile& profile, const TrainingRecord& record) {
  for (const kernels::TensorNumerics& n : record.numerics) {
    profile.tensor_numerics.push_back({0, n});
  }
  for (const kernels::TrainingProgress& step : record.steps) {
    profile.training_steps.push_back({0, step});
  }
}

// A run without kernels.
inline analysis::RunAnalysis recorded_run(const TrainingRecord& record,
                                          const std::string& title = "record") {
  store::Profile profile;
  profile.file = title + ".sqlite";
  profile.session.state = store::RecordingState::complete;
  add_record(profile, record);
  return analysis::analyze_run(std::move(profile), {});
}

// The record as the marks of a file that has nothing else.
inline void write_record(const std::filesystem::path& file, const TrainingRecord& record,
                         const store::SessionInfo& session) {
  store::ProfileWriter writer(file, session);
  std::int64_t now_ns = 0;
  const auto add = [&](const std::string& text) {
    store::NvtxRecord mark;
    mark.type = store::NvtxEventType::mark;
    mark.start_ns = now_ns += 1000;
    mark.text = text;
    writer.add(mark);
  };
  for (const kernels::TrainingProgress& step : record.steps) add(to_text(step));
  for (const kernels::TensorNumerics& n : record.numerics) add(to_text(n));
  writer.finish(store::RecordingState::complete);
}

}  // namespace mansard::test
