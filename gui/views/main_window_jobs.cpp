// SPDX-License-Identifier: Apache-2.0
// Tabs of jobs.
#include <QFileInfo>
#include <QStackedWidget>
#include <QStatusBar>

#include "analyzer/ranks/rank_files.h"
#include "gui/models/open_job.h"
#include "gui/views/goodput_view.h"
#include "gui/views/job_page.h"
#include "gui/views/main_window.h"
#include "gui/views/run_page.h"
#include "gui/views/tab_sides.h"

namespace mansard::gui {
namespace {

bool is_json(const QString& file) {
  return file.endsWith(QStringLiteral(".json")) || file.endsWith(QStringLiteral(".json.gz"));
}

}  // namespace

void MainWindow::open_arguments(const QStringList& arguments, const QString& summaries) {
  QStringList profiles;
  QStringList others;
  for (const QString& argument : arguments) (is_json(argument) ? others : profiles) << argument;
  std::vector<std::string> names;
  for (const QString& profile : profiles) names.push_back(profile.toStdString());
  if (!names.empty() && (!summaries.isEmpty() || are_job(names))) {
    if (!others.isEmpty()) open(others);
    return open_job(profiles, summaries);
  }
  // Not those of a job, but a pattern may name them.
  QStringList files;
  for (const std::filesystem::path& file : analysis::expand_rank_files(names)) {
    files << QString::fromStdString(file.string());
  }
  open(files.size() == profiles.size() ? arguments : files + others);
}

void MainWindow::open_job(const QStringList& files, const QString& summaries) {
  for (JobPage* job : jobs()) {
    if (job->document()->files() == files) return sides_->set_current(job);
  }
  auto document = std::make_unique<JobDocument>();
  JobDocument* loading = document.get();
  auto* page = new JobPage(std::move(document), this);
  connect(page, &JobPage::profile_asked, this,
          [this, page](const QString& file) { open_rank(*page, file); });
  connect(page, &JobPage::profile_missing, this,
          [this](const QString& text) { statusBar()->showMessage(text); });
  loading->open(files, summaries);
  sides_->add(page, loading->title(), files.mid(0, 10).join(QLatin1Char('\n')));
  sides_->set_current(page);
  stack_->setCurrentIndex(1);
  show_page();
}

void MainWindow::open_rank(JobPage& job, const QString& file) {
  open({file});
  auto* goodput = qobject_cast<GoodputView*>(page_of(file)->view(QStringLiteral("goodput")));
  if (const auto shown = job.document()->job()) goodput->set_ranks(shown->ranks.world_size);
}

std::vector<JobPage*> MainWindow::jobs() const {
  std::vector<JobPage*> jobs;
  for (int i = 0; i < sides_->count(); ++i) {
    if (auto* job = qobject_cast<JobPage*>(sides_->page(i))) jobs.push_back(job);
  }
  return jobs;
}

JobPage* MainWindow::current_job() const { return qobject_cast<JobPage*>(sides_->current()); }

}  // namespace mansard::gui
