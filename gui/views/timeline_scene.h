// SPDX-License-Identifier: Apache-2.0
// The contents of a timeline in pixels: the visible rows and what is drawn in them. Painting and
// mouse handling only read it. Rows that are not visible cost nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/models/open_run.h"
#include "reports/figure/geometry.h"
#include "reports/figure/timeline_groups.h"

namespace mansard::gui {

class TimelineScene {
 public:
  TimelineScene();

  // Shows the whole run with all groups expanded. Null: nothing. For the same profile loaded again,
  // keeps collapsed groups, hidden rows, scroll position and window.
  void set_run(std::shared_ptr<const OpenRun> run);
  // Size of the widget; labels and axis are one text line high.
  void set_area(const figure::Rect& area, double line_px);
  // Limits of the window, if wider than the run's own time.
  void set_limits(figure::TimeSpan limits);

  void show(figure::TimeSpan window);
  void show_everything();
  void zoom(double factor, double x_px);
  void pan(double dx_px);
  bool shows_everything() const;
  figure::TimeSpan window() const { return {scale_.start_ns(), scale_.end_ns()}; }

  void scroll_to(double scroll_px);
  double scroll_px() const { return scroll_px_; }
  double most_scroll_px() const;
  // Expands its group and scrolls as little as needed.
  void bring_into_sight(std::size_t track);
  void toggle_group(std::size_t group);
  void hide(const figure::TimelineRow& row);
  void show_hidden();
  bool hides_any() const;
  // Pinned rows stay at the top while the others scroll; those that would take too much of the
  // height scroll too. A track is pinned with all its lanes, a heading stands for its rows.
  void set_pinned(const figure::TimelineRow& row, bool pinned);
  bool is_pinned(const figure::TimelineRow& row) const;
  // Names of the pinned rows, also of those that the run does not have.
  const std::vector<std::string>& pins() const { return pins_; }
  void set_pins(std::vector<std::string> names);

  const std::shared_ptr<const OpenRun>& run() const { return run_; }
  bool empty() const { return !run_ || run_->timeline.empty(); }
  const figure::Rect& area() const { return area_; }
  const figure::Rect& plot() const {
    return plot_;
  }  // area of the rows; the axis is above it, labels on the left
  const figure::TimeScale& scale() const { return scale_; }
  const std::vector<figure::TimelineGroup>& groups() const { return groups_; }
  const std::vector<figure::TimelineRow>& rows() const;         // sorted by position
  const std::vector<figure::TimelineRow>& pinned_rows() const;  // likewise, above rows()
  double pinned_bottom() const;  // the end of these, where the scrolled rows start

  // Null if there is none.
  const figure::TimelineRow* row_at(double y_px) const;
  const figure::TimelineRow* row_of(std::size_t track) const;

 private:
  std::string name_of(figure::RowKind kind, std::size_t index) const;
  std::vector<std::string> hidden_names() const;
  void hide_names(const std::vector<std::string>& names);
  std::vector<figure::TimelineRow> rows_of(const figure::TimelineRow& row) const;
  bool has_pin(figure::RowKind kind, std::size_t index) const;
  void lay_out_pinned(figure::HiddenRows& hidden);
  void lay_out_rows();
  double scrolled_height() const { return plot_.bottom - pinned_bottom(); }
  void see_rows(const figure::TimelineRows& rows, double origin_px, double top, double bottom,
                std::vector<figure::TimelineRow>& seen) const;
  void see() const;

  std::shared_ptr<const OpenRun> run_;
  std::vector<figure::TimelineGroup> groups_;
  figure::HiddenRows hidden_;
  figure::TimelineRows all_rows_;  // without the pinned ones
  figure::TimelineRows all_pinned_;
  std::vector<std::string> pins_;
  figure::Rect area_{0, 0, 1, 1};
  figure::Rect plot_{0, 0, 1, 1};
  double scroll_px_ = 0;
  figure::TimeScale scale_;
  // Computed on request: several mouse moves may arrive between two frames.
  mutable std::vector<figure::TimelineRow> seen_;
  mutable std::vector<figure::TimelineRow> seen_pinned_;
  mutable bool is_seen_ = false;
};

}  // namespace mansard::gui
