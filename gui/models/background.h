// SPDX-License-Identifier: Apache-2.0
// Work for a view or a model that takes too long for its thread: only the last one's result comes
// back, and none once its owner has gone.
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
  // `owner` holds this.
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

  // `job` runs in another thread and owns what it uses; `finish` takes what it returns, in the
  // owner's thread. A job that takes a LoadControl stops where it checks that, once another was
  // started. One that throws has no result: what its owner shows stays as it is.
  template <class Job, class Finish>
  void start(Job job, Finish finish) {
    cancel();
    superseded_ = std::make_shared<std::atomic<bool>>(false);
    QThreadPool::globalInstance()->start([this, number = number_, superseded = superseded_,
                                          mailbox = mailbox_, job = std::move(job),
                                          finish = std::move(finish)]() mutable {
      if (*superseded) return;  // while it waited for a thread
      try {
        auto result = run(job, *superseded);
        const std::lock_guard lock(mailbox->mutex);
        if (mailbox->owner == nullptr) return;
        // Qt drops it should the owner go before.
        QMetaObject::invokeMethod(
            mailbox->owner,
            [this, number, finish = std::move(finish), result = std::move(result)]() mutable {
              if (number == number_) finish(std::move(result));
            },
            Qt::QueuedConnection);
      } catch (const store::LoadCanceled&) {  // nobody waits for it
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
    QObject* owner = nullptr;  // null once it has gone
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
  std::shared_ptr<std::atomic<bool>> superseded_;  // of the last job; null: there was none
  quint64 number_ = 0;
};

}  // namespace mansard::gui
