// SPDX-License-Identifier: Apache-2.0
// A run of kernels with known work on a machine with round numbers: 1 TFLOP/s in BF16, 0.1 in FP32,
// 10 GB/s of HBM, 40 of L2, 1 µs launch overhead.
#pragma once

#include "analyzer/run_analysis.h"
#include "reports/figure/plane_figure.h"
#include "tests/figure/machine_fixture.h"

namespace mansard::testing {

inline roofline::DeviceModel slow_machine() {
  return device({compute_ceiling(Precision::bf16, 1e12), compute_ceiling(Precision::fp32, 1e11),
                 bandwidth_ceiling(MemoryLevel::l2, 40e9),
                 bandwidth_ceiling(MemoryLevel::hbm, 10e9), launch_ceiling(1e-6)});
}

// `flop`, bytes and time are per launch.
struct LaunchOf {
  const char* name;
  double flop = 0;
  double hbm_bytes = 0;
  double l2_bytes = 0;
  double time_s = 0;
  Precision precision = Precision::bf16;
};

inline void add_row(analysis::RunAnalysis& run, const LaunchOf& of, std::int64_t launches = 4) {
  const auto count = static_cast<double>(launches);
  analysis::KernelRow row;
  row.name = row.short_name = of.name;
  row.operation_class = "gemm";
  row.launches = launches;
  row.time_s = count * of.time_s;
  row.share = 0.1;
  row.work.launches = launches;
  if (of.flop > 0) row.work.flop[of.precision] = count * of.flop;
  if (of.hbm_bytes > 0) row.work.bytes[MemoryLevel::hbm] = count * of.hbm_bytes;
  if (of.l2_bytes > 0) row.work.bytes[MemoryLevel::l2] = count * of.l2_bytes;
  if (of.flop > 0 || of.hbm_bytes > 0 || of.l2_bytes > 0) {
    row.origin = analysis::WorkOrigin::annotated;
    row.sol = analysis::speed_of_light(row.work, slow_machine());
  }
  run.rows.push_back(row);
}

inline const figure::PlaneLine* find_line(const figure::PlaneFigure& figure, std::string_view id) {
  for (const figure::PlaneLine& line : figure.lines) {
    if (line.id == id) return &line;
  }
  return nullptr;
}

inline const figure::PlaneRegion* find_region(const figure::PlaneFigure& figure,
                                              std::string_view id) {
  for (const figure::PlaneRegion& region : figure.regions) {
    if (region.id == id) return &region;
  }
  return nullptr;
}

}  // namespace mansard::testing
