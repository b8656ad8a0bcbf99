// SPDX-License-Identifier: Apache-2.0
// Runs a job of a view or model in another thread. Only the result of the latest job is delivered,
// and none after its owner was destroyed.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <QtDebug>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include "collector/store/load_control.h"

namespace mansard::gui {

class Background {
 public:
  // `owner` owns this object.
  explicit Background(QObject* owner) : mailbox_(std::make_shared<Mailbox>()) {
    mailbox_->owner = owner;
  }
  // Does not wait for a job that is still running.
  ~Background() {
    cancel();
    const std::lock_guard lock(mailbox_->mutex);
    mailbox_->owner = nullptr;
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // `job` runs in another thread and owns the data it uses; `finish` receives its result in the
  // owner's thread. A job that takes a LoadControl stops at its next check once another job was
  // started. A job that throws has no result: the owner's state stays as it is.
  template <class Job, class Finish>
  void start(Job job, Finish finish) {
    cancel();
    superseded_ = std::make_shared<std::atomic<bool>>(false);
    QThreadPool::globalInstance()->start([this, number = number_, superseded = superseded_,
                                          mailbox = mailbox_, job = std::move(job),
                                          finish = std::move(finish)]() mutable {
      if (*superseded) return;  // superseded while queued
      try {
        auto result = run(job, *superseded);
        const std::lock_guard lock(mailbox->mutex);
        if (mailbox->owner == nullptr) return;
        // Qt drops the call if the owner is destroyed first.
        QMetaObject::invokeMethod(
            mailbox->owner,
            [this, number, finish = std::move(finish), result = std::move(result)]() mutable {
              if (number == number_) finish(std::move(result));
            },
            Qt::QueuedConnection);
      } catch (const store::LoadCanceled&) {  // superseded: no result
      } catch (const std::exception& e) {
        qWarning("Background job failed: %s", e.what());
      }
    });
  }

  void cancel() {
    ++number_;
    if (superseded_) *superseded_ = true;
  }

 private:
  struct Mailbox {
    std::mutex mutex;
    QObject* owner = nullptr;  // null after its destruction
  };

  template <class Job>
  static auto run(Job& job, const std::atomic<bool>& superseded) {
    if constexpr (std::is_invocable_v<Job&, const store::LoadControl&>) {
      store::LoadControl control;
      control.canceled = &superseded;
      return job(control);
    } else {
      return job();
    }
  }

  std::shared_ptr<Mailbox> mailbox_;
  std::shared_ptr<std::atomic<bool>> superseded_;  // of the latest job; null before the first
  quint64 number_ = 0;
};

}  // namespace mansard::gui
