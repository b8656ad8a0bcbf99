// SPDX-License-Identifier: Apache-2.0
// A plane laid out for its axes: where its lines, marks and names lie, in pixels. The window lays
// out what its filter, zoom and selection ask for; lay_out_plane() the whole figure of a page.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reports/figure/arrow.h"
#include "reports/figure/drawing.h"
#include "reports/figure/line_labels.h"
#include "reports/figure/marks.h"
#include "reports/figure/plane_figure.h"

namespace mansard::figure {

// An entry of the legend.
struct ClassKey {
  analysis::OperationClass operation_class;
  Rect area;
};

// From a kernel of a baseline to the same kernel of this run, whose launches take longer or less.
enum class Change : std::uint8_t { slower, faster, none };

struct PlaneArrow {
  Arrow arrow;
  Change change = Change::none;
};

struct NamedBox {
  std::string text;
  OrientedBox box;
};

// A selected row's point at one of the tiers.
struct TierMark {
  MemoryLevel level = MemoryLevel::hbm;
  Point at;
  std::optional<OrientedBox> label;  // none: no room, or the tier whose marks are shown
};

// What a plane adds for the selected row.
struct PlaneSelection {
  std::size_t row = 0;
  // A row does the same FLOP/s, or FLOPs, at every tier, so its points lie on one line, in this
  // order; empty where there is only one.
  std::vector<TierMark> tiers;
  std::optional<Segment> gap;  // roofline: from the mark up to its speed of light
  NamedBox name;
  NamedBox caption;
  std::string ceiling;          // id of the line that bounds the row
  std::optional<Point> launch;  // the selected launch
};

struct PlaneRing {
  Point center;
  double radius = 0;
  bool selected = false;  // else hovered
};

struct PlaneLayout {
  double width = 0;
  double height = 0;
  double line_px = 0;  // height of a line of text
  Rect plot;
  LogScale x{0.1, 1e3, 0, 1};
  LogScale y{1e9, 1e15, 1, 0};
  bool y_title_above = false;  // else turned, beside the axis
  std::optional<MemoryLevel> level;

  std::vector<PlaneLine> lines;  // extended(), those to be named first come first
  std::size_t own_lines = std::numeric_limits<std::size_t>::max();  // further ones: other machines'
  std::vector<bool> prominent;  // by line: bounds what is shown; empty: all do
  std::vector<LineLabel> line_labels;
  std::vector<RegionLabel> region_labels;

  std::vector<analysis::OperationClass> classes;  // by Mark::group
  std::vector<Mark> marks;
  std::vector<Mark> filtered_out;
  std::vector<NamedBox> mark_names;
  bool open_marks = false;  // not filled: launches can be seen below

  const PlaneFigure* baseline = nullptr;
  std::vector<Mark> baseline_marks;  // of `baseline`
  std::vector<PlaneArrow> arrows;
  std::optional<PlacedText> baseline_key;  // tells which marks are whose

  std::vector<ClassKey> legend;
  std::optional<PlaneSelection> selection;
};

// Shapes that a view draws over a layout and that change from frame to frame.
struct PlaneOverlay {
  std::vector<PlaneRing> rings;
  std::shared_ptr<const Raster> density;  // launches by pixel; null: not shown
  std::string notice;                     // at the lower edge
};

// Draws a layout of `figure`; `out` is cleared first and keeps its memory. Links: {line, index into
// layout.lines}, {operation_class, index into layout.legend}, {kernel, row, 1 for the mark at the
// speed of light and else 0}.
void draw_plane(Drawing& out, const PlaneFigure& figure, const PlaneLayout& layout,
                const MeasureText& measure, const PlaneOverlay& overlay = {});

// The whole figure at its first tier.
PlaneLayout lay_out_plane(const PlaneFigure& figure, double width_px, double height_px,
                          bool short_names, const MeasureText& measure);

// "Arithmetic intensity at HBM (FLOP/B)"
std::string axis_title(const PlaneAxis& axis, const std::optional<MemoryLevel>& level);

}  // namespace mansard::figure
