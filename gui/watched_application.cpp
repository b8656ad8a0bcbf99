// SPDX-License-Identifier: Apache-2.0
#include "gui/watched_application.h"

#include <QEvent>
#include <QMetaEnum>
#include <QThread>

#include "gui/thread_time.h"

namespace mansard::gui {
namespace {

QString name_of(const char* receiver_class, QEvent::Type type) {
  const char* event = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
  return QStringLiteral("%1 of %2")
      .arg(event == nullptr ? QString::number(type) : QString::fromUtf8(event),
           QString::fromUtf8(receiver_class));
}

}  // namespace

// One event on its way; events that its handler sends lie within it.
struct WatchedApplication::Handling {
  Handling* outer;
  int loop_level;
  bool waited = false;  // in an event loop of its own
};

WatchedApplication::WatchedApplication(int& argc, char** argv, Report report)
    : QApplication(argc, argv), report_(std::move(report)) {}

bool WatchedApplication::notify(QObject* receiver, QEvent* event) {
  const bool watched = report_ && QThread::currentThread() == thread();
  return watched ? watched_notify(receiver, event) : QApplication::notify(receiver, event);
}

bool WatchedApplication::watched_notify(QObject* receiver, QEvent* event) {
  const int level = QThread::currentThread()->loopLevel();
  for (Handling* h = innermost_; h != nullptr; h = h->outer) h->waited |= h->loop_level < level;
  const bool outermost = innermost_ == nullptr || innermost_->waited;
  const char* receiver_class = receiver->metaObject()->className();
  const QEvent::Type type = event->type();  // afterwards event and receiver may be gone
  Handling handling{innermost_, level};
  innermost_ = &handling;
  const ThreadTime before = outermost ? thread_time() : ThreadTime{};
  const bool handled = QApplication::notify(receiver, event);
  innermost_ = handling.outer;
  if (!outermost || handling.waited) return handled;
  const ThreadTime after = thread_time();
  const double ms = own_ms(before, after);
  if (ms > kLongestEvent_ms && report_) {
    report_({name_of(receiver_class, type), ms,
             static_cast<double>(after.ran_ns - before.ran_ns) * 1e-6});
  }
  return handled;
}

}  // namespace mansard::gui
