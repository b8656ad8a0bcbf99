// SPDX-License-Identifier: Apache-2.0
#include "gui/models/live_refresh.h"

#include <algorithm>
#include <utility>

#include "gui/models/run_document.h"

namespace mansard::gui {
namespace {

constexpr int kRestPerLoad = 4;
constexpr int kMaxDoublings = 6;

}  // namespace

LiveRefresh::LiveRefresh(RunDocument* document, QObject* parent)
    : QObject(parent), document_(document) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, [this] { document_->reload(); });
  connect(document_, &RunDocument::changed, this, &LiveRefresh::follow);
}

bool LiveRefresh::is_recording() const {
  const auto run = document_->run();
  return run && run->profile.session.state == store::RecordingState::recording;
}

void LiveRefresh::set_follows(bool follows) {
  follows_ = follows;
  follow();
}

void LiveRefresh::follow() {
  if (document_->reloading() || document_->state() == RunDocument::State::loading) {
    timer_.stop();                              // a timeout would cancel a load started elsewhere
    if (!loading_.isValid()) loading_.start();  // a first look arrives during the load
    return;
  }
  if (loading_.isValid()) count_load();
  const bool recording = is_recording();
  if (recording && follows_) {
    timer_.start(std::max(pause_, kRestPerLoad * last_load_) *
                 (1 << std::min(failures_, kMaxDoublings)));
  } else {
    timer_.stop();
  }
  if (std::exchange(was_recording_, recording) != recording) Q_EMIT recording_changed();
}

void LiveRefresh::count_load() {
  last_load_ = std::chrono::milliseconds(loading_.elapsed());
  loading_.invalidate();
  failures_ = document_->error().isEmpty() ? 0 : failures_ + 1;
}

}  // namespace mansard::gui
