// SPDX-License-Identifier: Apache-2.0
// Work for a view or a model that takes too long for its thread: only the last one's result comes
// back, and none once its owner has gone.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <memory>
#include <mutex>
#include <utility>

namespace mansard {

class Background {
 public:
  // `owner` holds this.
  explicit Background(QObject* owner) : mailbox_(std::make_shared<Mailbox>()) {
    mailbox_->owner = owner;
  }
  // Does not wait for a job that is still running.
  ~Background() {
    const std::lock_guard lock(mailbox_->mutex);
    mailbox_->owner = nullptr;
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // `job` runs in another thread and owns what it uses; `finish` takes what it returns, in the
  // owner's thread.
  template <class Job, class Finish>
  void start(Job job, Finish finish) {
    const quint64 number = ++number_;
    QThreadPool::globalInstance()->start([this, number, mailbox = mailbox_, job = std::move(job),
                                          finish = std::move(finish)]() mutable {
      auto result = job();
      const std::lock_guard lock(mailbox->mutex);
      if (mailbox->owner == nullptr) return;
      // Qt drops it should the owner go before.
      QMetaObject::invokeMethod(
          mailbox->owner,
          [this, number, finish = std::move(finish), result = std::move(result)]() mutable {
            if (number == number_) finish(std::move(result));
          },
          Qt::QueuedConnection);
    });
  }

  void cancel() { ++number_; }

 private:
  struct Mailbox {
    std::mutex mutex;
    QObject* owner = nullptr;  // null once it has gone
  };
  std::shared_ptr<Mailbox> mailbox_;
  quint64 number_ = 0;
};

}  // namespace mansard
