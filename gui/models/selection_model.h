// SPDX-License-Identifier: Apache-2.0
// What all views of one run share: what is selected and under the cursor, the filter and what
// passes it, and the way back. A view writes what its user does and repaints on what it hears, also
// of its own doing.
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

// What undo brings back, and a bookmark keeps.
struct ViewState {
  ViewFilter filter;
  std::optional<std::size_t> row;
  std::optional<std::size_t> launch;

  bool operator==(const ViewState&) const = default;
};

class SelectionModel : public QObject {
  Q_OBJECT

 public:
  using Row = std::optional<std::size_t>;     // into RunAnalysis::rows
  using Launch = std::optional<std::size_t>;  // into LaunchColumns

  explicit SelectionModel(QObject* parent = nullptr);

  // Null: nothing is open. Forgets what was before, as rows of another run mean nothing here, and
  // begins with `state`, by default nothing selected and nothing filtered.
  void set_run(std::shared_ptr<const OpenRun> run, const ViewState& state = {});
  const std::shared_ptr<const OpenRun>& run() const { return run_; }

  Row selected() const { return state_.row; }
  // One launch of the selected row; none: the row as a whole.
  Launch selected_launch() const { return state_.launch; }
  Row hovered() const { return hovered_; }
  const ViewFilter& filter() const { return state_.filter; }
  // Of the filter that was applied last: with many launches it follows filter_changed by some
  // milliseconds. Until the first filter of a run is, everything. Of run() always, and never null.
  const std::shared_ptr<const ShownLaunches>& shown() const { return shown_; }

  void select(Row row);
  void select_launch(std::size_t launch);  // and its row
  void hover(Row row);
  void set_filter(const ViewFilter& filter);
  // A part of the filter; the others stay.
  void set_words(const QString& words);
  void set_operation_class(const QString& operation_class);
  void set_window(std::optional<figure::TimeSpan> window);

  // A step is a selection or a filter. Words being typed and windows being zoomed are one step, as
  // long as nothing else comes between.
  bool can_undo() const { return position_ > 0; }
  bool can_redo() const { return position_ + 1 < history_.size(); }
  void undo();
  void redo();

  const ViewState& state() const { return state_; }
  void restore(const ViewState& state);  // a step of its own

 Q_SIGNALS:
  void run_changed();
  void selected_changed();
  void hovered_changed();
  void filter_changed();
  void shown_changed();
  // By undo() or redo(): who holds a step back takes it now, or it would come in between.
  void history_about_to_move();
  void history_changed();

 private:
  enum class Change { select, words, window, other };
  void change(const ViewState& state, Change kind);
  void show(const ViewState& state);
  void apply_filter();
  void finish(std::shared_ptr<const ShownLaunches> shown);

  std::shared_ptr<const OpenRun> run_;
  ViewState state_;
  Row hovered_;
  std::shared_ptr<const ShownLaunches> shown_;
  std::vector<ViewState> history_;
  std::size_t position_ = 0;  // of state_ in history_
  Change last_change_ = Change::other;
  Background filtering_{this};
};

}  // namespace mansard::gui
