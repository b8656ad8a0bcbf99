// SPDX-License-Identifier: Apache-2.0
// The layout of a plane in pixels: lines, marks and labels. The GUI lays out the view for its
// filter, zoom and selection; lay_out_plane() lays out the whole figure of a page.
#pragma once

#include <array>
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

// From a kernel of the baseline to the same kernel of this run.
enum class Change : std::uint8_t { slower, faster, none };

struct PlaneArrow {
  Arrow arrow;
  Change change = Change::none;
};

struct NamedBox {
  std::string text;
  OrientedBox box;
};

// The point of a selected row at one tier.
struct TierMark {
  MemoryLevel level = MemoryLevel::hbm;
  Point at;
  std::optional<OrientedBox> label;  // none: no room, or the tier is the shown one
};

// Additional shapes for the selected row.
struct PlaneSelection {
  std::size_t row = 0;
  // The points of a row at all tiers, which are on one line because FLOP/s (or FLOPs) are the same
  // at every tier. Empty if there is only one.
  std::vector<TierMark> tiers;
  std::optional<Segment> gap;  // roofline: from the mark up to its attainable performance
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
  bool y_title_above = false;  // else rotated, beside the axis
  std::optional<MemoryLevel> level;

  std::vector<PlaneLine> lines;  // extended(), by falling priority of their labels
  std::size_t own_lines =
      std::numeric_limits<std::size_t>::max();  // lines beyond this number belong to other machines
  std::vector<bool> prominent;                  // by line: applies to the shown tier; empty: all do
  std::vector<LineLabel> line_labels;
  std::vector<RegionLabel> region_labels;

  std::vector<analysis::OperationClass> classes;  // by Mark::group
  std::vector<Mark> marks;
  std::vector<Mark> filtered_out;
  std::vector<NamedBox> mark_names;
  std::vector<NamedBox> beyond;  // counts of points outside the plot, at its edges
  bool open_marks = false;       // not filled, so that launches are visible below

  const PlaneFigure* baseline = nullptr;
  std::vector<Mark> baseline_marks;  // of `baseline`
  std::vector<PlaneArrow> arrows;
  std::optional<PlacedText> baseline_key;  // explains which marks are the baseline's

  std::vector<ClassKey> legend;
  std::optional<PlaneSelection> selection;
};

// Shapes that change from frame to frame, drawn over a layout.
struct PlaneOverlay {
  std::vector<PlaneRing> rings;
  std::shared_ptr<const Raster> density;  // launches by pixel; null: not shown
  std::string notice;                     // text at the lower edge
};

// Draws a layout of `figure`; `out` is cleared first and keeps its memory. Links: {line, index into
// layout.lines}, {operation_class, index into layout.legend}, {kernel, row, 1 for the mark at the
// speed of light and else 0}.
void draw_plane(Drawing& out, const PlaneFigure& figure, const PlaneLayout& layout,
                const MeasureText& measure, const PlaneOverlay& overlay = {});

// Returns the boxes of beyond_text() inside the edges of `plot`.
std::vector<NamedBox> place_beyond(const std::array<PointsBeyond, 4>& points, const Rect& plot,
                                   const MeasureText& measure);

// Names the largest marks of the layout where there is room beside `labels`, marks and lines.
void name_marks(PlaneLayout& layout, const PlaneFigure& figure, std::vector<OrientedBox> labels,
                const MeasureText& measure);

// Lays out the part of the figure that is shown first, at its first tier.
PlaneLayout lay_out_plane(const PlaneFigure& figure, double width_px, double height_px,
                          bool short_names, const MeasureText& measure);

// "Arithmetic intensity at HBM (FLOP/B)"
std::string axis_title(const PlaneAxis& axis, const std::optional<MemoryLevel>& level);

}  // namespace mansard::figure
