// SPDX-License-Identifier: Apache-2.0
// An application that notices when its event loop is held up: while one event is handled no other
// is, and people feel a window that does not answer for longer than a twentieth of a second.
#pragma once

#include <QApplication>
#include <QString>
#include <functional>

namespace mansard::gui {

inline constexpr double kLongestEvent_ms = 50;

struct SlowEvent {
  QString what;       // "Paint of mansard::TimelineView"
  double ms = 0;      // of the thread's own time, see own_ms()
  double ran_ms = 0;  // of these on a processor
};

class WatchedApplication : public QApplication {
 public:
  using Report = std::function<void(const SlowEvent&)>;

  // `report` is called, in the window's thread, for each event that takes longer than
  // kLongestEvent_ms of the thread's own time (thread_time.h). Time in an event loop of the event's
  // own, such as a dialog's, does not count. Empty: nothing is watched.
  WatchedApplication(int& argc, char** argv, Report report = {});

  void set_report(Report report) { report_ = std::move(report); }
  bool notify(QObject* receiver, QEvent* event) override;

 private:
  struct Handling;
  bool watched_notify(QObject* receiver, QEvent* event);

  Report report_;
  Handling* innermost_ = nullptr;
};

}  // namespace mansard::gui
