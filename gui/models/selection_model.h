// SPDX-License-Identifier: Apache-2.0
// State shared by all views of a run: the selected and hovered rows, the filter and its result, and
// the undo history. A view writes its user's actions here and repaints on the signals, including
// those it caused.
#pragma once

#include <QObject>
#include <QString>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "gui/models/background.h"
#include "gui/models/shown_launches.h"
#include "gui/models/view_filter.h"

namespace mansard::gui {

// The state that undo restores and a bookmark stores.
struct ViewState {
  ViewFilter filter;
  std::optional<std::size_t> row = {};
  std::optional<std::size_t> launch = {};
  // The time span that the timeline shows; empty: not known yet. It filters only if it is pinned:
  // then filter.window is equal.
  std::optional<figure::TimeSpan> visible = {};
  bool pinned = false;

  bool operator==(const ViewState&) const = default;
};

class SelectionModel : public QObject {
  Q_OBJECT

 public:
  using Row = std::optional<std::size_t>;     // index into RunAnalysis::rows
  using Launch = std::optional<std::size_t>;  // index into LaunchColumns

  explicit SelectionModel(QObject* parent = nullptr);

  // Null: nothing is open. Clears the history, since rows of another run have another meaning, and
  // starts with `state` (default: no selection, no filter).
  void set_run(std::shared_ptr<const OpenRun> run, const ViewState& state = {});
  const std::shared_ptr<const OpenRun>& run() const { return run_; }

  Row selected() const { return state_.row; }
  // One launch of the selected row; empty: the whole row.
  Launch selected_launch() const { return state_.launch; }
  Row hovered() const { return hovered_; }
  const ViewFilter& filter() const { return state_.filter; }
  // Result of the last applied filter. With many launches it follows filter_changed after some
  // milliseconds; until the first result of a run, everything is shown. Always belongs to run(),
  // never null.
  const std::shared_ptr<const ShownLaunches>& shown() const { return shown_; }

  void select(Row row);
  void select_launch(std::size_t launch);  // also selects its row
  void hover(Row row);
  void set_filter(const ViewFilter& filter);
  // Sets one part of the filter; the other parts stay.
  void set_words(const QString& words);
  void set_operation_class(const QString& operation_class);
  void set_window(std::optional<figure::TimeSpan> window);  // a selected interval; not pinned
  // The timeline moved. Filters only if pinned.
  void set_visible(const figure::TimeSpan& visible);
  // Whether the tables follow the timeline. Without a timeline, nothing happens.
  void set_pinned(bool pinned);
  // The time span with which the timeline opened; not an undo step.
  void open_visible(const figure::TimeSpan& visible);

  // An undo step is a change of selection, filter or visible time span. Consecutive typing, or
  // consecutive zooming and panning, is one step.
  bool can_undo() const { return position_ > 0; }
  bool can_redo() const { return position_ + 1 < history_.size(); }
  void undo();
  void redo();

  const ViewState& state() const { return state_; }
  void restore(const ViewState& state);  // as a separate undo step

 Q_SIGNALS:
  void run_changed();
  void selected_changed();
  void hovered_changed();
  void filter_changed();
  void visible_changed();  // or pinned, or both
  void shown_changed();
  // Emitted before undo() or redo(): a view with a delayed change applies it now, so that it does
  // not arrive in between.
  void history_about_to_move();
  void history_changed();

 private:
  enum class Change { select, words, visible, other };
  void change(ViewState state, Change kind);
  void show(const ViewState& state);
  void apply_filter();
  void finish(std::shared_ptr<const ShownLaunches> shown);

  std::shared_ptr<const OpenRun> run_;
  ViewState state_;
  Row hovered_;
  std::shared_ptr<const ShownLaunches> shown_;
  std::vector<ViewState> history_;
  std::size_t position_ = 0;  // index of state_ in history_
  Change last_change_ = Change::other;
  Background filtering_{this};
};

}  // namespace mansard::gui
