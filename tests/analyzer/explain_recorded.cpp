// SPDX-License-Identifier: Apache-2.0
// Ledgers of profiled training runs (examples/h200): all measured times equal the sums computed
// here from run_parts().
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "analyzer/explain/ledger.h"
#include "analyzer/explain/run_parts.h"

namespace mansard::analysis {
namespace {

using Time = std::optional<double>;

RunAnalysis recorded(const char* file) {
  const std::filesystem::path folder = std::filesystem::path(MANSARD_EXAMPLES) / "h200";
  return analyze_run(store::load_profile(folder / "training" / file),
                     {roofline::load_machine_model(folder / "machine.json")});
}

Time sum_of(const std::vector<KernelPart>& parts, const std::string& label = "") {
  Time sum_s;
  for (const KernelPart& part : parts) {
    if (label.empty() || part_label(part) == label) sum_s = sum_s.value_or(0) + part.time_s;
  }
  return sum_s;
}

const std::vector<KernelPart>& of_class(const RunParts& parts, OperationClass operation_class) {
  static const std::vector<KernelPart> kNone;
  const auto found = parts.classes.find(operation_class);
  return found == parts.classes.end() ? kNone : found->second;
}

// Measured time of details that are not kernels or kernel classes; std::nullopt for others.
Time other_time(const RunParts& parts, const std::string& label) {
  if (label == "memcpy and memset") return parts.copies_s;
  if (label == "CUDA graphs") return parts.graphs_s;
  for (const IdleCauseInfo& cause : idle_cause_infos()) {
    if (label == "idle: " + std::string(cause.label)) {
      return parts.idle_s[static_cast<std::size_t>(cause.id)];
    }
  }
  return std::nullopt;
}

Time measured(const RunParts& parts, const std::string& line, const std::string& label) {
  for (const char* gemms : {"high_precision_gemms", "high_precision_gemms_changed",
                            "gemm_memory_bound", "gemm_efficiency"}) {
    if (line == gemms) return sum_of(parts.gemms, label);
  }
  if (line == "clock" || line == "power") {
    Time time_s = sum_of(parts.gemms, label);
    for (const auto& [name, kernels] : parts.classes) {
      if (!time_s) time_s = sum_of(kernels, label);
    }
    return time_s;
  }
  if (line == "communication") return sum_of(parts.communication, label);
  if (line == "rank_wait") return sum_of(parts.rank_wait, label);
  if (line == "memcpy_memset") return sum_of(parts.memory, label);
  if (const Time other = other_time(parts, label)) return other;
  if (line == "non_gemm" || line == "other_kernels") {
    if (label == "exposed communication") return sum_of(parts.communication);
    if (label == "waiting for ranks") return sum_of(parts.rank_wait);
    return sum_of(of_class(parts, label));
  }
  return sum_of(of_class(parts, line), label);
}

void expect_same(const Time& shown, const Time& expected) {
  ASSERT_EQ(shown.has_value(), expected.has_value());
  if (!shown) return;
  EXPECT_NEAR(*shown, *expected, 1e-12);
  EXPECT_GE(*shown, 0);
}

void expect_measured_times(const char* baseline_file, const char* candidate_file) {
  const RunAnalysis baseline = recorded(baseline_file);
  const RunAnalysis candidate = recorded(candidate_file);
  const RunParts a = run_parts(baseline);
  const RunParts b = run_parts(candidate);
  const Ledger ledger = explain_gap(baseline, candidate);
  double lines_s = 0;
  std::size_t details = 0;
  for (const LedgerLine& line : ledger.lines) {
    SCOPED_TRACE(line.id);
    double sum_s = 0;
    for (const LedgerDetail& detail : line.details) {
      SCOPED_TRACE(detail.label);
      EXPECT_TRUE(detail.baseline_s || detail.candidate_s);
      expect_same(detail.baseline_s, measured(a, line.id, detail.label));
      expect_same(detail.candidate_s, measured(b, line.id, detail.label));
      ASSERT_EQ(detail.ideal_s.has_value(), detail.baseline_s.has_value());
      if (detail.ideal_s) {
        EXPECT_NEAR(*detail.ideal_s, *detail.baseline_s / ledger.ceiling_ratio, 1e-15);
      }
      sum_s += detail.adds_s;
      ++details;
    }
    EXPECT_NEAR(sum_s, line.time_s, 1e-15);
    lines_s += line.time_s;
  }
  EXPECT_GT(details, 20u);
  EXPECT_NEAR(lines_s, b.step_s - a.step_s / ledger.ceiling_ratio, 1e-12);
}

TEST(RecordedLedger, LlamaShowsMeasuredTimes) {
  expect_measured_times("llama_bf16.sqlite", "llama_fp8.sqlite");
}

TEST(RecordedLedger, LayersShowMeasuredTimes) {
  expect_measured_times("layer_bf16.sqlite", "layer_fp8.sqlite");
  expect_measured_times("layer_bf16.sqlite", "layer_nvfp4.sqlite");
}

// For each class, the time that non-GEMM kernels add to all lines is candidate - ideal: no time is
// counted twice or missing.
TEST(RecordedLedger, NonGemmTimeAddsUpPerClass) {
  const RunAnalysis baseline = recorded("llama_bf16.sqlite");
  const RunAnalysis candidate = recorded("llama_fp8.sqlite");
  const RunParts a = run_parts(baseline);
  const RunParts b = run_parts(candidate);
  const Ledger ledger = explain_gap(baseline, candidate);
  std::map<std::string, double> adds_s;
  for (const LedgerLine& line : ledger.lines) {
    const bool by_class = line.id == "non_gemm" || line.id == "other_kernels";
    for (const LedgerDetail& detail : line.details) {
      adds_s[by_class ? detail.label : line.id] += detail.adds_s;
    }
  }
  ASSERT_GT(a.classes.size(), 3u);
  for (const auto& [c, parts] : a.classes) {
    const double ideal_s = sum_of(parts).value_or(0) / ledger.ceiling_ratio;
    EXPECT_NEAR(adds_s[c.name()], sum_of(of_class(b, c)).value_or(0) - ideal_s, 1e-12) << c.name();
  }
}

}  // namespace
}  // namespace mansard::analysis
