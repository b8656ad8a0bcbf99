// SPDX-License-Identifier: Apache-2.0
// Numerics of the operands of GEMMs over the recorded training steps: the operand of one layer, and
// groups of the operands of all layers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard::analysis {

// Indices are those of Profile::tensor_numerics.
struct OperandSeries {
  std::string layer;
  std::string tensor;                // "x", "W" or "dy"
  std::string gemm;                  // "fprop", "dgrad" or "wgrad"
  std::optional<Precision> format;   // nullopt: several (MoR)
  std::vector<std::size_t> records;  // ascending steps; never empty

  std::optional<double> median_snr_db;
  std::optional<std::size_t> lowest_snr;      // the record with the lowest SNR
  std::optional<std::size_t> most_underflow;  // the record with the largest fraction, if known
  std::optional<std::size_t> most_saturated;
  double largest_amax = 0;                      // of the finite ones; NaN: none is finite
  std::optional<std::array<double, 3>> shares;  // MoR: E4M3, E5M2 and BF16 blocks, mean over steps
};

// All operands, sorted by their lowest SNR, lowest first; those without SNR last.
std::vector<OperandSeries> operand_series(const store::Profile& profile);

// The operands of all layers with the same tensor, GEMM and format.
struct OperandGroup {
  std::string tensor;
  std::string gemm;
  std::optional<Precision> format;
  std::vector<std::size_t> series;  // into the given series, in their order; never empty
  double median_snr_db = 0;         // over layers and steps

  std::size_t worst() const { return series.front(); }
};

// Groups of operands whose SNR is known, sorted by median SNR, lowest first.
std::vector<OperandGroup> operand_groups(const store::Profile& profile,
                                         const std::vector<OperandSeries>& series);

// SNR of a group in one step, over its layers.
struct GroupSnr {
  std::int64_t step = 0;
  double median_db = 0;
  double low_db = 0;
  double high_db = 0;
};

// By ascending step.
std::vector<GroupSnr> snr_by_step(const store::Profile& profile,
                                  const std::vector<OperandSeries>& series,
                                  const OperandGroup& group);

// "NVFP4"; "several formats" for nullopt.
std::string format_text(const std::optional<Precision>& format);

// "dy in wgrad of layers.11.feed_forward.out"
std::string operand_text(const OperandSeries& series);

// The lowest SNR: "dy in wgrad of layers.11.feed_forward.out, 12.3 dB in NVFP4 at step 40; 34.0 % of
// its nonzero elements became zero." Empty if no SNR is known.
std::string lowest_snr_text(const store::Profile& profile,
                            const std::vector<OperandSeries>& series);

}  // namespace mansard::analysis
