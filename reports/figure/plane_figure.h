// SPDX-License-Identifier: Apache-2.0
// A log-log scatter plot of kernels with the lines of a machine's ceilings, in data coordinates.
// Drawn by the GUI, the SVG writer and the HTML page.
#pragma once

#include <optional>
#include <set>
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
  std::string ideal_key;  // key of the ideal points; empty: there are none
  bool of_level = false;  // values depend on the tier whose bytes are counted
  TickLabels ticks = TickLabels::si;
  double min = 0, max = 0;  // decades around all lines and points
  // The part that is shown first, within [min, max].
  double first_min = 0, first_max = 0;
  // Smaller and unknown values are drawn on the lower edge. 0: only unknown values.
  double floor = 0;
};

enum class LineKind {
  ceiling,   // measured maximum of the machine
  boundary,  // between two regions
  iso,       // along which a quantity is constant
};

// Position of the name along the line. The margin is for horizontal lines that end at the right
// edge.
enum class LabelPlace { margin, near_start, near_end };

// A straight line in log-log space. x0 <= x1; y0 < y1 if x0 == x1.
struct PlaneLine {
  std::string id;     // for ceilings: the id in the machine model
  std::string label;  // "HBM 4.05 TB/s"; empty: no label
  std::string name;   // "HBM", used where room is short
  LineKind kind = LineKind::ceiling;
  LabelPlace label_place = LabelPlace::near_start;
  std::optional<Precision> precision;  // that it applies to
  std::optional<MemoryLevel> level;    // that it applies to
  double value = 0;                    // FLOP/s, B/s, FLOP/B or s
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  // Whether the line continues beyond the edge of the figure at this end.
  bool open_start = false, open_end = false;

  bool horizontal() const { return y0 == y1; }
};

enum class Corner { top_left, bottom_left, bottom_right };

// A named part of the plane.
struct PlaneRegion {
  std::string id;
  std::string label;  // empty: no label
  Corner corner = Corner::top_left;
  // Upper right corner of a shaded box that starts at the lower left corner of the plane; 0: no
  // box.
  double x1 = 0, y1 = 0;
  std::optional<MemoryLevel> level;  // that it applies to
};

struct PlanePosition {
  double x = 0, y = 0;
};

struct PlanePoint {
  std::size_t row = 0;               // into RunAnalysis::rows
  std::optional<MemoryLevel> level;  // whose bytes are counted; none: no tier has known bytes
  double x = 0;                      // 0: unknown or zero
  double y = 0;                      // with PlaneFigure::rates_at_edge and x = 0: y per unit of x
  double share = 0;                  // of the run's time: sets the mark's size
  std::string label;
  analysis::OperationClass operation_class;  // determines the shape and color of the mark
  // The position at SOL time. If set, its mark is filled and the mark of the measured point is
  // open; the gap is the potential saving.
  std::optional<PlanePosition> ideal;
  // Potential saving (KernelRow::saving_s), in the roofline's points of the three rows with the
  // largest; they have a ring. 0: none of them.
  double saving_s = 0;
};

struct PlaneFigure {
  std::string id;  // "roofline"
  PlaneAxis x, y;
  std::vector<PlaneLine> lines;  // by falling priority of their labels
  std::vector<PlaneRegion> regions;
  std::vector<PlanePoint> points;
  // Roofline: kernels without FLOPs are on the left edge at any zoom, where their bandwidth is on
  // the same scale as the slopes of the tiers: a kernel at the bandwidth of HBM is on the slope of
  // HBM.
  bool rates_at_edge = false;
  std::set<Precision> used;  // by the run; empty: unknown
  // Tiers that the user can choose for counting bytes; empty if the plane does not depend on them.
  std::vector<MemoryLevel> levels;
  // A launch with f times the mean duration of its row is at (x f^launch_x, y f^launch_y).
  double launch_x = 0, launch_y = 0;
  // Number of rows that are not drawn because values of the axes are unknown or zero.
  std::size_t rows_without_points = 0;
};

// The roofline: x = FLOP/B, y = FLOP/s, with the best ceiling per precision and tier. A slope ends
// at the highest compute ceiling, a horizontal line starts at the steepest slope; both extend to
// the figure's edge on the other side. A null `run` shows only the machine. Points more than four
// decades away from the ceilings are in the list, but outside the figure's limits. The part shown
// first contains the points with 95 % of the time and the ridge points of the ceilings in use.
PlaneFigure layout_roofline(const roofline::DeviceModel& machine, const analysis::RunAnalysis* run);

// The time plane (arXiv 2009.04598): x = compute time F / P, y = bandwidth time B / BW of a launch,
// in seconds. Below the diagonal kernels are compute-bound, above it bandwidth-bound. Along the
// right angles max(x, y) = T_sol is constant; kernels inside the box take less than the launch
// overhead. Each row has an ideal and a measured point, as in the analysis "time_based".
PlaneFigure layout_time_plane(const roofline::DeviceModel& machine,
                              const analysis::RunAnalysis& run);

// The complexity plane: x = FLOPs, y = bytes of a launch at each tier, independent of speed.
// Diagonals are equal arithmetic intensities, and the machine balance of each precision used by the
// run. Work inside the box of a precision takes less time than the launch overhead.
PlaneFigure layout_complexity_plane(const roofline::DeviceModel& machine,
                                    const analysis::RunAnalysis& run);

// Whether `point` has a bandwidth in B/s as its y, and no x (PlaneFigure::rates_at_edge).
bool is_rate(const PlaneFigure& figure, PlanePosition point);

// The tier to show first: device memory, else host memory, else any. None if the plane has no
// tiers.
std::optional<MemoryLevel> first_level(const PlaneFigure& figure);

// Whether an object of a tier (a line, a region, a point) is drawn while the points of tier `shown`
// are. Ceilings are always drawn.
bool holds_at(const std::optional<MemoryLevel>& level, const std::optional<MemoryLevel>& shown);

// Whether the line applies to the points of tier `shown` and to a precision that the run uses.
// Other lines are thin.
bool is_prominent(const PlaneLine& line, const std::optional<MemoryLevel>& shown,
                  const std::set<Precision>& used);
// Whether the line belongs to a precision that the run does not use: its name is faint.
bool is_unused(const PlaneLine& line, const std::set<Precision>& used);

// The precision with the most FLOPs of each row (a GEMM that also converts some numbers counts with
// its own precision), if its rows have at least 1 % of the run's time.
std::set<Precision> used_precisions(const analysis::RunAnalysis& run);

// The line, extended at its open ends to the limits of the scales.
PlaneLine extended(const PlaneLine& line, const LogScale& x, const LogScale& y);

}  // namespace mansard::figure
