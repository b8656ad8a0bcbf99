// SPDX-License-Identifier: Apache-2.0
#include "gui/models/live_refresh.h"

#include <algorithm>
#include <utility>

#include "gui/models/run_document.h"

namespace mansard {
namespace {

constexpr int kRestPerLoad = 4;

}  // namespace

LiveRefresh::LiveRefresh(RunDocument* document, QObject* parent)
    : QObject(parent), document_(document) {
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, [this] {
    loading_.start();
    document_->reload();
  });
  connect(document_, &RunDocument::changed, this, &LiveRefresh::follow);
}

bool LiveRefresh::is_recording() const {
  const auto run = document_->run();
  return run && run->profile.session.state == RecordingState::recording;
}

void LiveRefresh::set_follows(bool follows) {
  follows_ = follows;
  follow();
}

void LiveRefresh::follow() {
  if (document_->reloading()) return;
  if (loading_.isValid()) {
    last_load_ = std::chrono::milliseconds(loading_.elapsed());
    loading_.invalidate();
  }
  const bool recording = is_recording();
  if (recording && follows_) {
    timer_.start(std::max(pause_, kRestPerLoad * last_load_));
  } else {
    timer_.stop();
  }
  if (std::exchange(was_recording_, recording) != recording) Q_EMIT recording_changed();
}

}  // namespace mansard
