// SPDX-License-Identifier: Apache-2.0
// Compares two runs of one program kernel by kernel, and distinguishes regressions from noise.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/compare/median_estimate.h"
#include "analyzer/compare/run_launches.h"

namespace mansard::analysis {

enum class KernelMatch {
  signature,  // same name, grid, block and shared memory
  name,       // same short name and class only: different shape, tile or template
  only_a,
  only_b,
};

enum class Verdict {
  within_noise,
  slower,
  faster,
  more_launches,
  fewer_launches,
  too_few_samples,  // to distinguish a difference from noise
  added,
  removed,
};
std::string_view to_string(Verdict verdict);

struct ComparedValue {
  double a = 0;
  double b = 0;
  std::optional<double> noise;  // of b - a; unset for single values

  double difference() const { return b - a; }
  // (b - a) / a; unset if a is 0.
  std::optional<double> relative() const;
  bool within_noise() const { return noise && std::fabs(difference()) <= *noise; }
};

struct KernelComparison {
  KernelMatch match = KernelMatch::signature;
  Verdict verdict = Verdict::within_noise;
  std::string name;  // in run A, or in run B if A does not have it
  std::string short_name;
  OperationClass operation_class;
  std::string signature_a;  // the one with most time; empty if the run does not have the kernel
  std::string signature_b;
  std::optional<std::size_t> row_b = {};  // row of run B, if it has the kernel
  ComparedValue time_s;  // total per unit (step or run); kernels add up to RunComparison::kernel_s
  ComparedValue typical_s;  // per unit, used by the verdict and the gate; see compare_kernel.h
  ComparedValue launches;   // per unit
  DurationStatistics launch_a;
  DurationStatistics launch_b;
};

struct ClassComparison {
  OperationClass operation_class;
  ComparedValue time_s;
  ComparedValue launches;
};

struct RunComparison {
  std::string title_a;
  std::string title_b;
  std::string unit;  // "step" or "run"
  double units_a = 1;
  double units_b = 1;
  ComparedValue busy_s;  // mean per unit; 0 if counters were read in the whole run
  // Step time, or span of the run; unset if counters were read in the whole run.
  std::optional<ComparedValue> period_s;
  ComparedValue kernel_s;  // includes memcpy, memset and CUDA graphs recorded without kernels
  ComparedValue launches;
  std::vector<ClassComparison> classes;   // sorted by |difference|, largest first
  std::vector<KernelComparison> kernels;  // sorted likewise
  std::vector<std::string> notes;
  std::vector<std::string> obstacles;  // why the gate cannot be applied
};

// Compares the typical steps of both runs (steps/step_times.h) as means over devices, or whole runs
// if there are no steps. `steps_prefix`: start of the names of the ranges that mark steps. Throws
// std::runtime_error if a prefix is given and a run has no such range.
RunComparison compare_runs(const RunAnalysis& a, const RunAnalysis& b,
                           const std::string& steps_prefix = "");

// Returns other differences between the two runs, and reasons to doubt the comparison.
std::vector<std::string> comparison_notes(const RunAnalysis& a, const RunAnalysis& b);

// Returns reasons why a run could appear faster than it is: it is incomplete or has no work.
std::vector<std::string> gate_obstacles(const RunAnalysis& a, const RunAnalysis& b);

}  // namespace mansard::analysis
