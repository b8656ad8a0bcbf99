// SPDX-License-Identifier: Apache-2.0
// Runs for comparisons, with round numbers.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "analyzer/compare/compare_runs.h"
#include "tests/analyzer/profile_builder.h"

namespace mansard::test {

// 20 launches of gemm_product of `product_ns`, alternating by +-`jitter_ns`, then 20 of copy_mover
// of 1 ms. No sequence of kernels repeats, so there are no steps.
inline analysis::RunAnalysis run_of(std::int64_t product_ns, std::int64_t jitter_ns = 0) {
  ProfileBuilder b;
  std::int64_t now = 0;
  for (int i = 0; i < 20; ++i) {
    const std::int64_t duration = product_ns + (i % 2 == 0 ? jitter_ns : -jitter_ns);
    b.launch(now, now, now + duration, "gemm_product");
    now += duration;
  }
  for (int i = 0; i < 20; ++i, now += kMs) b.launch(now, now, now + kMs, "copy_mover");
  return analysis::analyze_run(b.build(), {});
}

inline const analysis::KernelComparison& kernel(const analysis::RunComparison& c,
                                                std::string_view name) {
  for (const analysis::KernelComparison& k : c.kernels) {
    if (k.short_name == name) return k;
  }
  throw std::runtime_error("no kernel " + std::string(name));
}

inline bool has_note(const analysis::RunComparison& c, std::string_view part) {
  return std::any_of(c.notes.begin(), c.notes.end(),
                     [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

// One kernel of 5 ms, then steps of 10 ms with one kernel of `kernel_ns` each.
inline analysis::RunAnalysis stepped(int steps, std::int64_t kernel_ns,
                                     const std::string& name = "step ") {
  ProfileBuilder b;
  b.launch(0, 0, 5 * kMs, "gemm_warmup");
  for (int i = 0; i < steps; ++i) {
    const std::int64_t start = (10 + 10 * i) * kMs;
    b.range(start, start + 10 * kMs, name + std::to_string(i));
    // Launched on another thread, and still running when the step's range has ended.
    b.launch(start + 9 * kMs, start + 9 * kMs, start + 9 * kMs + kernel_ns, "gemm_product",
             kOtherThread);
  }
  return analysis::analyze_run(b.build(), {});
}

}  // namespace mansard::test
