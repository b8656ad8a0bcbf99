// SPDX-License-Identifier: Apache-2.0
// The geometry of a log-log scatter of kernels among the lines that a machine's ceilings draw, in
// data coordinates: computed once and drawn by the GUI, the SVG writer and the HTML page alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/run_analysis.h"
#include "reports/figure/log_scale.h"
#include "reports/figure/ticks.h"

namespace mansard::figure {

struct PlaneAxis {
  std::string label;      // "Arithmetic intensity"
  std::string unit;       // "FLOP/B"
  std::string key;        // "flop_per_byte", as the analyses' tables name it
  std::string ideal_key;  // likewise of the ideal points; empty: there are none
  bool of_level = false;  // its values depend on the tier at which bytes are counted
  TickLabels ticks = TickLabels::si;
  double min = 0, max = 0;  // decades around all lines and points
  // What is less, or not known, has its mark on the lower edge. 0: only what is not known.
  double floor = 0;
};

enum class LineKind {
  ceiling,   // what the machine reaches at most
  boundary,  // between two regions
  iso,       // along which some quantity stays the same
};

// Where along a line its name goes. The margin is for level lines that end at the right edge.
enum class LabelPlace { margin, near_start, near_end };

// A straight line in log-log space, of any slope. x0 <= x1, and where these are equal y0 < y1.
struct PlaneLine {
  std::string id;     // of a ceiling: in the machine model
  std::string label;  // "HBM 4.05 TB/s"; empty: goes unnamed
  std::string name;   // "HBM", for where there is little room
  LineKind kind = LineKind::ceiling;
  LabelPlace label_place = LabelPlace::near_start;
  std::optional<Precision> precision;  // that it holds for
  std::optional<MemoryLevel> level;    // that it holds for
  double value = 0;                    // FLOP/s, B/s, FLOP/B or s
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  // Whether the end is only the edge of the figure, beyond which the line goes on.
  bool open_start = false, open_end = false;

  bool horizontal() const { return y0 == y1; }
};

enum class Corner { top_left, bottom_left, bottom_right };

// A part of the plane that has a name.
struct PlaneRegion {
  std::string id;
  std::string label;  // empty: goes unnamed
  Corner corner = Corner::top_left;
  // A box from the lower left corner of the plane up to here is shaded; 0: none.
  double x1 = 0, y1 = 0;
  std::optional<MemoryLevel> level;  // that it holds for
};

struct PlanePosition {
  double x = 0, y = 0;
};

struct PlanePoint {
  std::size_t row = 0;               // into RunAnalysis::rows
  std::optional<MemoryLevel> level;  // whose bytes are counted; none: no tier's are known
  double x = 0;                      // 0: not known, or none
  double y = 0;                      // likewise
  double share = 0;                  // of the run's time: sets the mark's size
  std::string label;
  analysis::OperationClass operation_class;  // determines the shape and color of the mark
  // Where it would be at the speed of light of its work. Its mark is then filled, and that of the
  // measured point open: the gap between the two is what is lost.
  std::optional<PlanePosition> ideal;
};

struct PlaneFigure {
  std::string id;  // "roofline"
  PlaneAxis x, y;
  std::vector<PlaneLine> lines;  // those that should be named first come first
  std::vector<PlaneRegion> regions;
  std::vector<PlanePoint> points;
  // Of the points, if the reader chooses at which tier bytes are counted; else empty.
  std::vector<MemoryLevel> levels;
  // A launch that takes f times the mean of its row lies at (x f^launch_x, y f^launch_y).
  double launch_x = 0, launch_y = 0;
  // Rows that cannot be drawn, because what the axes need is not known or is zero.
  std::size_t rows_without_points = 0;
};

// x = FLOP/B, y = FLOP/s. The ceilings a reader compares with: the best per precision and tier. A
// slope ends at the highest compute ceiling, a horizontal line starts where it meets the steepest
// slope; both reach the figure's edge on the other side. `run` may be null: the machine alone. A
// point more than four decades away from the ceilings stays in the list, but outside the figure's
// limits.
PlaneFigure layout_roofline(const roofline::DeviceModel& machine, const analysis::RunAnalysis* run);

// x = compute time, y = bandwidth time of a launch, in seconds (arXiv 2009.04598): on one side of
// the diagonal computing takes longer, on the other moving bytes. Along the right angles
// max(x, y) = T the least time of a launch is T; what lies in the box takes less than to launch.
// Each row has its ideal point and the measured one, as in the analysis "time_based".
PlaneFigure layout_time_plane(const roofline::DeviceModel& machine,
                              const analysis::RunAnalysis& run);

// x = FLOP, y = bytes of a launch, at each tier: what a kernel has to do, whatever its speed.
// Diagonals are equal intensities, and the machine balance of each precision that the run computes
// in; the work in the box of a precision takes less time than to launch it.
PlaneFigure layout_complexity_plane(const roofline::DeviceModel& machine,
                                    const analysis::RunAnalysis& run);

// The tier to show first: device memory, then host memory, then any that the figure has. None where
// there is nothing to choose.
std::optional<MemoryLevel> first_level(const PlaneFigure& figure);

// Whether something that holds for a tier (a line, a region, a point) is drawn while the points of
// `shown` are. Ceilings always are.
bool holds_at(const std::optional<MemoryLevel>& level, const std::optional<MemoryLevel>& shown);

// The line, going on at its open ends to wherever the scales reach.
PlaneLine extended(const PlaneLine& line, const LogScale& x, const LogScale& y);

}  // namespace mansard::figure
