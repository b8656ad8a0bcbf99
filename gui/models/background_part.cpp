// SPDX-License-Identifier: Apache-2.0
#include "gui/models/background_part.h"

#include <QThreadPool>
#include <exception>
#include <mutex>
#include <utility>

namespace mansard::gui {

// Passes a result to its BackgroundPart while that still exists.
struct BackgroundPart::Mailbox {
  std::mutex mutex;
  BackgroundPart* owner = nullptr;  // null after its destruction
};

BackgroundPart::BackgroundPart(QObject* parent)
    : QObject(parent), mailbox_(std::make_shared<Mailbox>()) {
  mailbox_->owner = this;
}

BackgroundPart::~BackgroundPart() {
  const std::lock_guard lock(mailbox_->mutex);
  mailbox_->owner = nullptr;
}

void BackgroundPart::start(Work work) {
  state_ = State::working;
  part_.reset();
  error_.clear();
  QThreadPool::globalInstance()->start(
      [mailbox = mailbox_, work = std::move(work), number = ++number_] {
        std::shared_ptr<const reports::ReportPart> part;
        QString error;
        try {
          part = std::make_shared<const reports::ReportPart>(work());
        } catch (const std::exception& e) {
          error = QString::fromUtf8(e.what());
        }
        const std::lock_guard lock(mailbox->mutex);
        if (mailbox->owner == nullptr) return;
        // Runs in the owner's thread; Qt drops the call if the owner is destroyed first.
        QMetaObject::invokeMethod(
            mailbox->owner,
            [owner = mailbox->owner, number, part = std::move(part), error] {
              owner->finish(number, part, error);
            },
            Qt::QueuedConnection);
      });
  Q_EMIT changed();
}

void BackgroundPart::clear() {
  ++number_;
  if (state_ == State::empty) return;
  state_ = State::empty;
  part_.reset();
  error_.clear();
  Q_EMIT changed();
}

void BackgroundPart::finish(quint64 number, std::shared_ptr<const reports::ReportPart> part,
                            const QString& error) {
  if (number != number_) return;
  part_ = std::move(part);
  error_ = error;
  state_ = part_ ? State::ready : State::failed;
  Q_EMIT changed();
}

}  // namespace mansard::gui
