// SPDX-License-Identifier: Apache-2.0
// The geometry of a log-log roofline in data coordinates (x = FLOP/B, y = FLOP/s), computed once
// and drawn by the GUI, the SVG writer and the HTML page alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/run_analysis.h"

namespace mansard {

struct RoofLine {
  std::string id;                         // of the ceiling in the machine model
  std::string label;                      // "HBM 4.05 TB/s", "BF16 964 TFLOP/s"
  bool diagonal = false;                  // a bandwidth; else a horizontal compute ceiling
  std::optional<Precision> precision;     // of a compute ceiling
  std::optional<MemoryLevel> level;       // of a bandwidth
  double value = 0;                       // FLOP/s, or B/s
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // ends, x0 < x1
};

struct FigurePoint {
  std::size_t row = 0;  // into RunAnalysis::rows
  MemoryLevel level = MemoryLevel::hbm;
  double x = 0;
  double y = 0;
  double share = 0;  // of the run's time: sets the mark's size
  std::string label;
  std::string operation_class;  // sets the mark's shape and colour
};

struct RooflineFigure {
  double x_min = 0, x_max = 0, y_min = 0, y_max = 0;  // decades around all lines and points
  std::vector<RoofLine> lines;
  std::vector<FigurePoint> points;
  // Rows that cannot be drawn, because their FLOPs or bytes are not known or are zero.
  std::size_t rows_without_points = 0;
};

// The ceilings a reader compares with: the best per precision and tier. A diagonal ends at the
// highest compute ceiling, a horizontal line starts where it meets the steepest diagonal; both
// reach the figure's edge on the other side. `run` may be null: the machine alone. A point more
// than four decades away from the ceilings stays in the list, but outside the figure's limits.
RooflineFigure layout_roofline(const DeviceModel& machine, const RunAnalysis* run);

}  // namespace mansard
