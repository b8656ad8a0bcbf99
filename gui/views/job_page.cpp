// SPDX-License-Identifier: Apache-2.0
#include "gui/views/job_page.h"

#include <QLabel>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/measured_job.h"
#include "gui/views/goodput_panel.h"
#include "gui/views/job_tables.h"
#include "gui/views/load_page.h"
#include "gui/views/painting.h"
#include "gui/views/ranks_view.h"

namespace mansard::gui {

JobPage::JobPage(std::unique_ptr<JobDocument> document, QWidget* parent)
    : QWidget(parent),
      document_(std::move(document)),
      stack_(new QStackedWidget(this)),
      load_(new LoadPage(document_.get(), this)),
      title_(new QLabel),
      summary_(new QLabel),
      tabs_(new QTabWidget),
      ranks_(new RanksView),
      tables_(new JobTables),
      goodput_(new GoodputPanel) {
  title_->setTextFormat(Qt::PlainText);
  title_->setContentsMargins(10, 6, 10, 2);
  QFont strong = title_->font();
  strong.setBold(true);
  title_->setFont(strong);
  summary_->setTextFormat(Qt::PlainText);
  summary_->setWordWrap(true);
  summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  summary_->setContentsMargins(10, 0, 10, 4);
  ranks_->setObjectName(QStringLiteral("ranks"));
  tables_->setObjectName(QStringLiteral("tables"));
  goodput_->setObjectName(QStringLiteral("goodput"));
  tabs_->setDocumentMode(true);
  tabs_->addTab(ranks_, tr("Ranks"));
  tabs_->addTab(tables_, tr("Tables"));
  tabs_->addTab(goodput_, tr("Goodput"));

  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(title_);
  column->addWidget(summary_);
  column->addWidget(tabs_, 1);
  stack_->addWidget(load_);
  stack_->addWidget(content);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);
  connect(ranks_, &RanksView::rank_clicked, this, &JobPage::ask_for_rank);
  connect(tables_, &JobTables::rank_clicked, this, &JobPage::ask_for_rank);
  connect(document_.get(), &Document::changed, this, &JobPage::show_document);
  show_document();
}

JobPage::~JobPage() = default;

View* JobPage::current_view() const {
  return stack_->currentWidget() == load_ ? nullptr : static_cast<View*>(tabs_->currentWidget());
}

void JobPage::raise_view(const QString& name) {
  for (int i = 0; i < tabs_->count(); ++i) {
    if (tabs_->widget(i)->objectName() == name) tabs_->setCurrentIndex(i);
  }
}

QString JobPage::summary() const { return summary_->text(); }

QString JobPage::message() const {
  return stack_->currentWidget() == load_ ? load_->text() : QString();
}

void JobPage::show_document() {
  const auto job = document_->job();
  stack_->setCurrentIndex(job ? 1 : 0);
  if (job) {
    const analysis::Finding& answer = job->findings.front();
    title_->setText(to_qstring(answer.title));
    QString text = to_qstring(answer.summary);
    if (!document_->error().isEmpty()) {
      text += QLatin1Char('\n') + tr("Reload failed: %1").arg(document_->error());
    }
    summary_->setText(text);
  }
  if (job == job_) return;
  job_ = job;
  ranks_->set_job(job);
  tables_->set_job(job);
  goodput_->set_trained(job ? std::optional(trained_job(*job)) : std::nullopt);
}

void JobPage::ask_for_rank(int rank) {
  const auto found = std::ranges::find(job_->ranks.ranks, rank, &analysis::JobRank::rank);
  if (found == job_->ranks.ranks.end()) return;
  const auto index = static_cast<std::size_t>(found - job_->ranks.ranks.begin());
  const std::filesystem::path file = job_->profile_of(index);
  if (!file.empty()) {
    Q_EMIT profile_asked(QString::fromStdString(file.string()));
    return;
  }
  Q_EMIT profile_missing(
      tr("The profile of rank %1 is not at hand: %2")
          .arg(rank)
          .arg(QString::fromStdString(job_->ranks.summaries[found->index].file)));
}

}  // namespace mansard::gui
