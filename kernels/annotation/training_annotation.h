// SPDX-License-Identifier: Apache-2.0
// The progress of a training run, encoded in the texts of NVTX marks, as work_annotation.h encodes
// the work of a range. Any language can write them, any NVTX tool shows them, and they survive the
// import of a trace from another profiler:
//
//    layers.3.attention.in dy | step=100 gemm=wgrad format=nvfp4 elements=8388608 amax=0.0195
//        rms=0.00021 underflow=0.013 saturated=0.0002 snr_db=19.8
//    training step | step=100 tokens=413696 loss=5.91 learning_rate=3e-04 gradient_norm=0.84
//
// (each text is one line). Keys may stand in any order, unknown keys are ignored, and a key is
// omitted if its value is unknown or not finite.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/vocabulary/precision.h"

namespace mansard::kernels {

// How well the operand of a GEMM of one layer represents its source, in one training step.
struct TensorNumerics {
  std::int64_t step = 0;                 // 0 is the first
  std::string layer = {};                // "layers.3.attention.in"
  std::string tensor = {};               // "x", "W" or "dy"
  std::string gemm = {};                 // that reads the operand: "fprop", "dgrad" or "wgrad"
  std::optional<Precision> format = {};  // bf16: not quantized; nullopt: several formats (MoR)
  std::int64_t elements = 0;
  // Largest magnitude and root mean square of the source, after the random Hadamard transform if
  // the operand has one. NaN: not finite.
  double amax = 0;
  double rms = 0;
  std::optional<double> underflow = {};  // fraction of the nonzero elements that became zero
  // Fraction of the elements beyond the largest magnitude that the operand's scale can represent.
  std::optional<double> saturated = {};
  // 10 log10(sum x^2 / sum (x - q)^2). nullopt: no error, or all elements are zero.
  std::optional<double> snr_db = {};
  // Shares of E4M3, E5M2 and BF16 blocks (MoR).
  std::optional<std::array<double, 3>> shares = {};
  bool operator==(const TensorNumerics&) const = default;
};

// A training step and its result.
struct TrainingProgress {
  std::int64_t step = 0;    // 0 is the first
  std::int64_t tokens = 0;  // trained on so far, including those of this step
  double loss = 0;          // NaN: not finite, as are the other numbers
  std::optional<double> validation_loss = {};
  double learning_rate = 0;
  double gradient_norm = 0;
  bool operator==(const TrainingProgress&) const = default;
};

std::string to_text(const TensorNumerics& numerics);
std::string to_text(const TrainingProgress& step);

// nullopt: `text` is not such an annotation. Values outside their range count as unknown.
std::optional<TensorNumerics> parse_tensor_numerics(std::string_view text);
std::optional<TrainingProgress> parse_training_step(std::string_view text);

}  // namespace mansard::kernels
