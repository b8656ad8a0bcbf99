// SPDX-License-Identifier: Apache-2.0
#include "gui/models/job_document.h"

#include <QFileInfo>

namespace mansard::gui {
namespace {

constexpr int kBetweenReports_ms = 50;

}  // namespace

JobDocument::JobDocument(QObject* parent) : Document(parent), load_(this) {
  report_.setInterval(kBetweenReports_ms);
  connect(&report_, &QTimer::timeout, this, &Document::progress_changed);
}

JobDocument::~JobDocument() = default;

QString JobDocument::title() const {
  if (files_.isEmpty()) return {};
  const QString first = QFileInfo(files_.front()).fileName();
  if (files_.size() == 1) return first.isEmpty() ? files_.front() : first;
  return tr("%1 and %2 more").arg(first).arg(files_.size() - 1);
}

LoadProgress JobDocument::progress() const {
  if (!report_.isActive()) return {};
  return {tr("Summarizing the ranks"), *fraction_};
}

void JobDocument::open(const QStringList& files, const QString& summaries) {
  files_ = files;
  summaries_ = summaries;
  job_.reset();
  state_ = State::empty;
  reload();
}

void JobDocument::reload() {
  if (files_.isEmpty()) return;
  if (state_ != State::ready) state_ = State::loading;
  error_.clear();
  fraction_ = std::make_shared<std::atomic<double>>(0);
  report_.start();
  JobRequest request;
  for (const QString& file : files_) request.arguments.push_back(file.toStdString());
  request.summaries = summaries_.toStdString();
  load_.start(
      [request = std::move(request), fraction = fraction_](const store::LoadControl& canceled) {
        store::LoadControl control = canceled;
        control.progress = [&fraction](std::string_view, double done) { *fraction = done; };
        Outcome outcome;
        try {
          outcome.job = open_job(request, control);
        } catch (const store::LoadCanceled&) {
          throw;
        } catch (const std::exception& e) {
          outcome.error = QString::fromUtf8(e.what());
        }
        return outcome;
      },
      [this](Outcome outcome) { finish(std::move(outcome)); });
  Q_EMIT changed();
}

void JobDocument::cancel() {
  if (!report_.isActive()) return;
  load_.cancel();
  report_.stop();
  if (state_ == State::loading) state_ = State::canceled;
  Q_EMIT changed();
}

void JobDocument::finish(Outcome outcome) {
  report_.stop();
  if (outcome.job) job_ = std::move(outcome.job);
  error_ = std::move(outcome.error);
  state_ = job_ ? State::ready : State::failed;
  Q_EMIT changed();
}

}  // namespace mansard::gui
