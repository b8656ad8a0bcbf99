// SPDX-License-Identifier: Apache-2.0
#include "gui/models/run_document.h"

#include <QFileInfo>
#include <QThreadPool>
#include <exception>
#include <mutex>

namespace mansard {

// Through which a background load reaches its document, as long as that exists.
struct RunDocument::Mailbox {
  std::mutex mutex;
  RunDocument* document = nullptr;  // null once the document has gone
};

RunDocument::RunDocument(QObject* parent, RunLoader loader)
    : QObject(parent), loader_(std::move(loader)), mailbox_(std::make_shared<Mailbox>()) {
  mailbox_->document = this;
}

RunDocument::~RunDocument() {
  const std::lock_guard lock(mailbox_->mutex);
  mailbox_->document = nullptr;
}

QString RunDocument::title() const { return QFileInfo(file_).fileName(); }

void RunDocument::open(const QString& file, const QStringList& machines) {
  file_ = file;
  machines_ = machines;
  state_ = State::loading;
  run_.reset();
  error_.clear();
  const quint64 load = ++load_;

  std::vector<std::filesystem::path> models;
  for (const QString& machine : machines) models.emplace_back(machine.toStdString());
  QThreadPool::globalInstance()->start([loader = loader_, mailbox = mailbox_, load,
                                        path = std::filesystem::path(file.toStdString()),
                                        models = std::move(models)] {
    Outcome outcome;
    try {
      outcome.run = prepare_run(loader(path, models));
    } catch (const std::exception& e) {
      outcome.error = QString::fromUtf8(e.what());
    }
    const std::lock_guard lock(mailbox->mutex);
    if (mailbox->document == nullptr) return;
    // Runs in the document's thread; Qt drops it should the document go before.
    QMetaObject::invokeMethod(
        mailbox->document,
        [document = mailbox->document, load, outcome = std::move(outcome)] {
          document->finish(load, outcome);
        },
        Qt::QueuedConnection);
  });
  Q_EMIT changed();
}

void RunDocument::finish(quint64 load, Outcome outcome) {
  if (load != load_) return;
  run_ = std::move(outcome.run);
  error_ = std::move(outcome.error);
  state_ = run_ ? State::ready : State::failed;
  Q_EMIT changed();
}

}  // namespace mansard
