// SPDX-License-Identifier: Apache-2.0
// Bandwidth or latency over working set: one curve a kernel, and where a cache is full.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "empirical_roofline/machine_model.h"
#include "reports/figure/drawing.h"

namespace mansard::figure {

struct SweepCurve {
  std::string kernel;
  MemoryLevel color = MemoryLevel::hbm;      // of tier_color(); tells curves apart, no more
  std::vector<roofline::SweepPoint> points;  // by rising working set
  std::vector<Point> at;                     // one each
  Segment swatch;                            // in the legend
  PlacedText name;                           // beside it
};

struct SweepCapacity {
  Segment line;
  PlacedText name;  // "L2 60 MiB"
};

struct SweepPlot {
  double width = 0;
  double height = 0;
  Rect plot;
  std::vector<Segment> value_lines;  // across the plot
  std::vector<PlacedText> value_names;
  std::vector<Segment> size_ticks;  // below the plot, at powers of two
  std::vector<PlacedText> size_names;
  PlacedText size_axis;   // "Working set"
  PlacedText value_axis;  // the unit
  std::vector<SweepCurve> curves;
  std::vector<SweepCapacity> capacities;
};

// Of the points in `unit`: "B/s" is bandwidth, "s" latency. Nothing where the device has none.
std::optional<SweepPlot> layout_sweep(const roofline::DeviceModel& device, std::string_view unit,
                                      double width_px, double height_px,
                                      const MeasureText& measure);

// Links: {sweep_point, curve, point}, each with sweep_tooltip() as its title.
Drawing draw(const SweepPlot& plot);

// "l2_read, 32 MiB: 8.10 TB/s"
std::string sweep_tooltip(const roofline::SweepPoint& point);

}  // namespace mansard::figure
