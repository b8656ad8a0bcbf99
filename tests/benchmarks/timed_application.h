// SPDX-License-Identifier: Apache-2.0
// An application that times its events. The window does not respond during an event, and users
// notice delays of more than a twentieth of a second.
#pragma once

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QMetaEnum>
#include <ctime>
#include <utility>

namespace mansard::benchmarks {

inline constexpr double kLongestEvent_ms = 50;  // docs/validation/window.md

// `ran_ms` is the CPU time of the thread: if it is much less than `ms`, the event waited or other
// programs used the processor.
struct EventTime {
  QString what;  // "Paint of mansard::gui::TimelineView"
  double ms = 0;
  double ran_ms = 0;
};

class TimedApplication : public QApplication {
 public:
  using QApplication::QApplication;

  bool notify(QObject* receiver, QEvent* event) override {
    if (inside_) return QApplication::notify(receiver, event);
    inside_ = true;
    const char* receiver_class = receiver->metaObject()->className();
    const QEvent::Type type = event->type();  // event and receiver may not exist afterwards
    const double before_ms = thread_ms();
    QElapsedTimer clock;
    clock.start();
    const bool handled = QApplication::notify(receiver, event);
    const double ms = static_cast<double>(clock.nsecsElapsed()) * 1e-6;
    inside_ = false;
    if (ms > longest_.ms) {
      const char* name = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
      longest_ = {QStringLiteral("%1 of %2")
                      .arg(QString::fromUtf8(name == nullptr ? "event" : name),
                           QString::fromUtf8(receiver_class)),
                  ms, thread_ms() - before_ms};
    }
    return handled;
  }

  // Since the last call.
  EventTime take_longest() { return std::exchange(longest_, {}); }

 protected:
  bool is_inside_an_event() const { return inside_; }

 private:
  static double thread_ms() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  }

  bool inside_ = false;
  EventTime longest_;
};

}  // namespace mansard::benchmarks
