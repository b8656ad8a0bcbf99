// SPDX-License-Identifier: Apache-2.0
// Bandwidth or latency vs. working set: one curve per kernel, and the cache capacities.
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
  MemoryLevel color = MemoryLevel::hbm;  // tier_color() that distinguishes curves; not their tier
  std::vector<roofline::SweepPoint> points;  // sorted by size
  std::vector<Point> at;                     // pixel positions of the points
  Segment swatch;                            // in the legend
  PlacedText name;                           // beside the swatch
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
  PlacedText size_axis;   // "Working set" or "Message"
  PlacedText value_axis;  // the unit
  std::vector<SweepCurve> curves;
  std::vector<SweepCapacity> capacities;
};

// Shows the points with `unit` over `axis`: "B/s" for bandwidth, "s" for latency. Returns nothing
// if the device has none.
std::optional<SweepPlot> layout_sweep(const roofline::DeviceModel& device, std::string_view unit,
                                      roofline::SweepAxis axis, double width_px, double height_px,
                                      const MeasureText& measure);

// Links: {sweep_point, curve, point}, each with sweep_tooltip() as its title.
Drawing draw(const SweepPlot& plot);

// "l2_read, 32 MiB: 8.10 TB/s"
std::string sweep_tooltip(const roofline::SweepPoint& point);

}  // namespace mansard::figure
