// SPDX-License-Identifier: Apache-2.0
// What the window keeps for the next time.
#include <QFileInfo>

#include "gui/models/session.h"
#include "gui/views/main_window.h"
#include "gui/views/run_page.h"
#include "gui/views/tab_sides.h"

namespace mansard::gui {

void MainWindow::restore_looks() {
  if (settings_ == nullptr) return;
  const Session session = read_session(*settings_);
  restoreGeometry(session.geometry);
  arrangement_ = session.arrangement;
}

void MainWindow::restore_session() {
  if (settings_ == nullptr) return;
  const Session session = read_session(*settings_);
  for (const QString& machine : session.machines) {
    if (QFileInfo::exists(machine) && !machines_.contains(machine)) machines_ << machine;
  }
  for (const SessionPage& saved : session.pages) {
    if (!QFileInfo::exists(saved.file)) continue;
    open({saved.file});
    RunPage* shown = page_of(saved.file);
    if (saved.second_side != sides_->on_second_side(shown)) sides_->move_to_other_side(shown);
  }
  for (const SessionPage& saved : session.pages) {
    RunPage* shown = page_of(saved.file);
    RunPage* other = saved.baseline.isEmpty() ? nullptr : page_of(saved.baseline);
    if (shown != nullptr && other != nullptr && shown != other) {
      shown->set_baseline(other->document());
    }
  }
  if (RunPage* current = page_of(session.current)) sides_->set_current(current);
}

void MainWindow::save() {
  if (settings_ == nullptr) return;
  Session session;
  const auto path = [](const QString& file) { return QFileInfo(file).absoluteFilePath(); };
  for (int i = 0; i < page_count(); ++i) {
    RunDocument* document = page(i)->document();
    RunDocument* baseline = page(i)->baseline();
    session.pages.push_back({path(document->file()),
                             baseline == nullptr ? QString() : path(baseline->file()),
                             sides_->on_second_side(page(i))});
  }
  if (RunPage* shown = current_page()) {
    session.current = path(shown->document()->file());
    keep_arrangement(*shown);
  }
  for (const QString& machine : machines_) session.machines << path(machine);
  session.geometry = saveGeometry();
  session.arrangement = arrangement_;
  save_session(session, *settings_);
}

}  // namespace mansard::gui
