// SPDX-License-Identifier: Apache-2.0
#include "gui/models/selection_model.h"

#include <utility>

namespace mansard::gui {
namespace {

// Fewer launches are filtered synchronously, which is fast enough.
constexpr std::size_t kFilteredAtOnce = 100'000;

// A range filter iterates over all API calls and ranges, however few launches there are.
bool is_cheap(const OpenRun& run, const ViewFilter& filter) {
  std::size_t looked_at = run.launches.size();
  if (!filter.range.isEmpty()) {
    looked_at += run.analysis.profile.api_calls.size() + run.analysis.profile.nvtx.size();
  }
  return looked_at < kFilteredAtOnce;
}

}  // namespace

SelectionModel::SelectionModel(QObject* parent)
    : QObject(parent), shown_(std::make_shared<ShownLaunches>()), history_{ViewState()} {}

void SelectionModel::set_run(std::shared_ptr<const OpenRun> run, const ViewState& state) {
  run_ = std::move(run);
  history_.assign(1, state);
  position_ = 0;
  last_change_ = Change::other;
  hover(std::nullopt);
  state_ = state;
  // Views query rows and launches of this run before its filter is applied.
  shown_ =
      std::make_shared<const ShownLaunches>(run_ ? all_launches(run_->analysis) : ShownLaunches());
  apply_filter();
  Q_EMIT run_changed();
  Q_EMIT selected_changed();
  Q_EMIT filter_changed();
  Q_EMIT history_changed();
}

void SelectionModel::select(Row row) {
  ViewState state = state_;
  state.row = row;
  state.launch.reset();
  change(state, Change::select);
}

void SelectionModel::select_launch(std::size_t launch) {
  if (!run_ || launch >= run_->launches.size()) return;
  ViewState state = state_;
  state.launch = launch;
  const std::uint32_t row = run_->launches.row[launch];
  state.row = row == LaunchColumns::kNoRow ? Row() : Row(row);
  change(state, Change::select);
}

void SelectionModel::hover(Row row) {
  if (row == hovered_) return;
  hovered_ = row;
  Q_EMIT hovered_changed();
}

void SelectionModel::set_filter(const ViewFilter& filter) {
  ViewState state = state_;
  state.filter = filter;
  change(state, Change::other);
}

void SelectionModel::set_words(const QString& words) {
  ViewState state = state_;
  state.filter.words = words.trimmed().isEmpty() ? QString() : words;  // blanks match everything
  change(state, Change::words);
}

void SelectionModel::set_operation_class(const QString& operation_class) {
  ViewState state = state_;
  state.filter.operation_class = operation_class;
  change(state, Change::other);
}

void SelectionModel::set_window(std::optional<figure::TimeSpan> window) {
  ViewState state = state_;
  state.filter.window = window;
  state.pinned = false;
  change(state, Change::other);
}

void SelectionModel::set_visible(const figure::TimeSpan& visible) {
  ViewState state = state_;
  state.visible = visible;
  if (state.pinned) state.filter.window = visible;
  change(state, Change::visible);
}

void SelectionModel::set_pinned(bool pinned) {
  if (!state_.visible) return;
  ViewState state = state_;
  state.pinned = pinned;
  state.filter.window = pinned ? state.visible : std::nullopt;
  change(state, Change::other);
}

void SelectionModel::open_visible(const figure::TimeSpan& visible) {
  for (ViewState& state : history_) {
    if (!state.visible) state.visible = visible;
  }
  state_ = history_[position_];
}

void SelectionModel::undo() {
  Q_EMIT history_about_to_move();
  if (!can_undo()) return;
  last_change_ = Change::other;
  show(history_[--position_]);
  Q_EMIT history_changed();
}

void SelectionModel::redo() {
  Q_EMIT history_about_to_move();
  if (!can_redo()) return;
  last_change_ = Change::other;
  show(history_[++position_]);
  Q_EMIT history_changed();
}

void SelectionModel::restore(const ViewState& state) { change(state, Change::other); }

void SelectionModel::change(ViewState state, Change kind) {
  if (!state.filter.window || state.filter.window != state.visible) state.pinned = false;
  if (state == state_) return;
  const bool goes_on = kind == last_change_ && (kind == Change::words || kind == Change::visible);
  history_.resize(position_ + 1);
  last_change_ = kind;
  if (!goes_on) {
    history_.push_back(state);
    ++position_;
  } else if (history_[position_ - 1] == state) {  // typing was reverted: not an undo step
    history_.pop_back();
    --position_;
    last_change_ = Change::other;
  } else {
    history_[position_] = state;
  }
  show(state);
  Q_EMIT history_changed();
}

void SelectionModel::show(const ViewState& state) {
  const ViewState before = std::exchange(state_, state);
  if (before.filter != state.filter) {
    Q_EMIT filter_changed();
    apply_filter();
  }
  if (before.visible != state.visible || before.pinned != state.pinned) Q_EMIT visible_changed();
  if (before.row != state.row || before.launch != state.launch) Q_EMIT selected_changed();
}

void SelectionModel::apply_filter() {
  filtering_.cancel();
  if (!run_) return finish(std::make_shared<const ShownLaunches>());
  if (state_.filter.passes_all() || is_cheap(*run_, state_.filter)) {
    return finish(std::make_shared<const ShownLaunches>(shown_launches(*run_, state_.filter)));
  }
  filtering_.start(
      [run = run_, filter = state_.filter](const store::LoadControl& control) {
        return std::make_shared<const ShownLaunches>(shown_launches(*run, filter, control));
      },
      [this](std::shared_ptr<const ShownLaunches> shown) { finish(std::move(shown)); });
}

void SelectionModel::finish(std::shared_ptr<const ShownLaunches> shown) {
  shown_ = std::move(shown);
  Q_EMIT shown_changed();
}

}  // namespace mansard::gui
