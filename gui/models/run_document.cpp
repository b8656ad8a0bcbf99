// SPDX-License-Identifier: Apache-2.0
#include "gui/models/run_document.h"

#include <QFileInfo>
#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

#include "gui/models/load_pool.h"

namespace mansard::gui {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenReports{50};

// Runs with more launches get a first look, because preparing the launches takes noticeable time.
constexpr std::size_t kLooksFirst = 200'000;

constexpr double kLoaded = 0.75;  // fraction of the opening time; the rest prepares the views

}  // namespace

// Passes results of a background load to its document while that still exists.
struct RunDocument::Mailbox {
  std::mutex mutex;
  RunDocument* document = nullptr;  // null after its destruction

  // Runs in the document's thread; Qt drops the call if the document is destroyed first.
  template <class Message>
  void post(Message message) {
    const std::lock_guard lock(mutex);
    if (document == nullptr) return;
    QMetaObject::invokeMethod(
        document, [to = document, message = std::move(message)] { message(*to); },
        Qt::QueuedConnection);
  }
};

RunDocument::RunDocument(QObject* parent, RunLoader loader)
    : Document(parent), loader_(std::move(loader)), mailbox_(std::make_shared<Mailbox>()) {
  mailbox_->document = this;
}

RunDocument::~RunDocument() {
  drop_load();
  const std::lock_guard lock(mailbox_->mutex);
  mailbox_->document = nullptr;
}

QString RunDocument::title() const { return QFileInfo(file_).fileName(); }

void RunDocument::open(const QString& file, const QStringList& machines) {
  machines_ = machines;
  if (file == file_ && run_) return reload();
  if (file != file_) preview_.reset();
  file_ = file;
  state_ = State::loading;
  run_.reset();
  start();
}

void RunDocument::reload() {
  if (state_ != State::ready) state_ = State::loading;
  start();
}

void RunDocument::cancel() {
  if (!is_loading()) return;
  drop_load();
  preview_.reset();
  if (state_ == State::loading) state_ = State::canceled;
  Q_EMIT changed();
}

// Later messages belong to a superseded load.
void RunDocument::drop_load() {
  if (canceled_) *canceled_ = true;
  canceled_.reset();
  progress_ = {};
  ++load_;
}

void RunDocument::start() {
  drop_load();
  error_.clear();
  canceled_ = std::make_shared<std::atomic<bool>>(false);

  std::vector<std::filesystem::path> models;
  for (const QString& machine : machines_) models.emplace_back(machine.toStdString());
  load_pool().start([loader = loader_, mailbox = mailbox_, load = load_, canceled = canceled_,
                     path = std::filesystem::path(file_.toStdString()),
                     models = std::move(models)] {
    store::LoadControl control;
    control.canceled = canceled.get();
    Clock::time_point last;
    control.progress = [&mailbox, &last, load](std::string_view stage, double fraction) {
      const Clock::time_point now = Clock::now();
      if (now - last < kBetweenReports) return;
      last = now;
      mailbox->post(
          [load, progress = LoadProgress{QString::fromUtf8(stage.data(), qsizetype(stage.size())),
                                         fraction}](RunDocument& document) {
            document.advance(load, progress);
          });
    };
    Outcome outcome;
    try {
      control.check();  // it may have been canceled while queued
      analysis::RunAnalysis analysis = loader(path, models, control.part(0, kLoaded));
      if (analysis.profile.kernels.size() > kLooksFirst) {
        mailbox->post([load, look = destroyed_in_pool(gui::preview(analysis))](
                          RunDocument& document) { document.show_first(load, look); });
      }
      outcome.run = destroyed_in_pool(prepare_run(std::move(analysis), control.part(kLoaded, 1)));
    } catch (const store::LoadCanceled&) {
      return;  // canceled: no result is expected
    } catch (const std::exception& e) {
      outcome.error = QString::fromUtf8(e.what());
    }
    mailbox->post([load, outcome = std::move(outcome)](RunDocument& document) {
      document.finish(load, outcome);
    });
  });
  Q_EMIT changed();
}

void RunDocument::advance(quint64 load, LoadProgress progress) {
  if (load != load_ || !is_loading()) return;
  progress_ = std::move(progress);
  Q_EMIT progress_changed();
}

void RunDocument::show_first(quint64 load, std::shared_ptr<const OpenRun> look) {
  if (load != load_ || state_ != State::loading) return;
  preview_ = std::move(look);
  Q_EMIT changed();
}

void RunDocument::finish(quint64 load, Outcome outcome) {
  if (load != load_) return;
  canceled_.reset();
  progress_ = {};
  preview_.reset();
  if (outcome.run) run_ = std::move(outcome.run);
  error_ = std::move(outcome.error);
  state_ = run_ ? State::ready : State::failed;
  Q_EMIT changed();
}

}  // namespace mansard::gui
