// SPDX-License-Identifier: Apache-2.0
// Two recordings of one program, kernel by kernel: what became slower, and what only seems to.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/compare/launch_statistics.h"
#include "analyzer/compare/run_launches.h"

namespace mansard::analysis {

enum class KernelMatch {
  signature,  // name, grid, block and shared memory are the same
  name,       // only short name and class are: another shape, tile or template
  only_a,
  only_b,
};

enum class Verdict {
  within_noise,
  slower,
  faster,
  more_launches,
  fewer_launches,
  too_few_samples,  // to tell a difference from noise
  added,
  removed,
};
std::string_view to_string(Verdict verdict);

struct ComparedValue {
  double a = 0;
  double b = 0;
  std::optional<double> noise;  // of b - a; not known of single values

  double difference() const { return b - a; }
  // Not known where there is nothing to compare with.
  std::optional<double> relative() const;
  bool within_noise() const { return noise && std::fabs(difference()) <= *noise; }
};

struct KernelComparison {
  KernelMatch match = KernelMatch::signature;
  Verdict verdict = Verdict::within_noise;
  std::string name;  // of run A, where it has one
  std::string short_name;
  OperationClass operation_class;
  std::string signature_a;  // empty where a run lacks it; of several the one of most time
  std::string signature_b;
  std::optional<std::size_t> row_b = {};  // of run B, if it has the kernel
  ComparedValue time_s;     // by unit, step or run: all of it, so that kernels add up to the run
  ComparedValue typical_s;  // by unit: what the verdict and the gate go by; see compare_kernel.h
  ComparedValue launches;   // by unit
  LaunchStatistics launch_a;
  LaunchStatistics launch_b;
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
  ComparedValue busy_s;  // by unit, the mean; 0 where counters were read all the time
  // Step time, or span of the run; none where counters were read all the time.
  std::optional<ComparedValue> period_s;
  ComparedValue kernel_s;  // with memcpys, memsets and CUDA graphs recorded as a whole
  ComparedValue launches;
  std::vector<ClassComparison> classes;   // by falling size of the difference
  std::vector<KernelComparison> kernels;  // likewise
  std::vector<std::string> notes;
  std::vector<std::string> obstacles;  // why no gate can judge it
};

// By the typical steps of both runs (steps/step_times.h), a mean over the devices of each; without
// steps, by whole runs. `steps_prefix`: of the names of the ranges that are steps. Throws
// std::runtime_error when a prefix is given and a run has no such range.
RunComparison compare_runs(const RunAnalysis& a, const RunAnalysis& b,
                           const std::string& steps_prefix = "");

// What makes the two runs differ beside their kernels, or the comparison doubtful.
std::vector<std::string> comparison_notes(const RunAnalysis& a, const RunAnalysis& b);

// What makes a run seem faster than it is: it is not whole, or did nothing.
std::vector<std::string> gate_obstacles(const RunAnalysis& a, const RunAnalysis& b);

}  // namespace mansard::analysis
