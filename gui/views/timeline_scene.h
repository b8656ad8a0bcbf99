// SPDX-License-Identifier: Apache-2.0
// What a timeline shows of a run, in pixels: its rows in sight and what of them is to be drawn.
// Painting and the mouse only read it. What is not in sight costs nothing.
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

  // Shows all of it, all groups open. Null: nothing. Of the recording that it has, loaded again, it
  // keeps what is closed and hidden, where it is scrolled to and the window.
  void set_run(std::shared_ptr<const OpenRun> run);
  // Of the widget; labels and the axis are as high as a line of text needs.
  void set_area(const figure::Rect& area, double line_px);
  // What the window may show, if it is more than the run's own time.
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
  // Opens its group and scrolls as little as needed.
  void bring_into_sight(std::size_t track);
  void toggle_group(std::size_t group);
  void hide(const figure::TimelineRow& row);
  void show_hidden();
  bool hides_any() const;

  const std::shared_ptr<const OpenRun>& run() const { return run_; }
  bool empty() const { return !run_ || run_->timeline.empty(); }
  const figure::Rect& area() const { return area_; }
  const figure::Rect& plot() const {
    return plot_;
  }  // of the rows; the axis is above, labels to the left
  const figure::TimeScale& scale() const { return scale_; }
  const std::vector<figure::TimelineGroup>& groups() const { return groups_; }
  const std::vector<figure::TimelineRow>& rows() const;  // by rising box

  // Null where there is none.
  const figure::TimelineRow* row_at(double y_px) const;
  const figure::TimelineRow* row_of(std::size_t track) const;

 private:
  std::string name_of(figure::RowKind kind, std::size_t index) const;
  std::vector<std::string> hidden_names() const;
  void hide_names(const std::vector<std::string>& names);
  void lay_out_rows();
  void see() const;

  std::shared_ptr<const OpenRun> run_;
  std::vector<figure::TimelineGroup> groups_;
  figure::HiddenRows hidden_;
  figure::TimelineRows all_rows_;
  figure::Rect area_{0, 0, 1, 1};
  figure::Rect plot_{0, 0, 1, 1};
  double scroll_px_ = 0;
  figure::TimeScale scale_;
  // Looked for when it is asked for: several moves of the mouse may come between two pictures.
  mutable std::vector<figure::TimelineRow> seen_;
  mutable bool is_seen_ = false;
};

}  // namespace mansard::gui
