// SPDX-License-Identifier: Apache-2.0
#include "gui/views/ranks_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "analyzer/ranks/rank_tables.h"
#include "gui/views/chart_view.h"
#include "gui/views/figure_splitter.h"
#include "gui/views/notes_bar.h"
#include "gui/views/painting.h"
#include "gui/views/rank_bars.h"
#include "gui/views/skew_map.h"

namespace mansard::gui {
namespace {

constexpr int kBars_percent = 55;

// The lines of a table of one text column in the job's first finding; empty without it.
QStringList lines_of(const OpenJob& job, std::string_view table) {
  QStringList lines;
  for (const analysis::Table& each : job.findings.front().tables) {
    if (each.id != table) continue;
    for (const auto& row : each.rows) lines << to_qstring(std::get<std::string>(row.front()));
  }
  return lines;
}

QWidget* below_heading(QLabel* label, QComboBox* choice, QWidget* figure, QLabel* text) {
  auto* side = new QWidget;
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(8, 4, 4, 4);
  column->setSpacing(4);
  auto* line = new QHBoxLayout;
  label->setBuddy(choice);
  line->addWidget(label);
  line->addWidget(choice);
  if (text != nullptr) {
    text->setTextFormat(Qt::PlainText);
    text->setWordWrap(true);
    line->addWidget(text, 1);
  } else {
    line->addStretch(1);
  }
  column->addLayout(line);
  column->addWidget(figure, 1);
  return side;
}

}  // namespace

RanksView::RanksView(QWidget* parent)
    : View(parent),
      advice_(new QLabel(this)),
      problems_(new NotesBar(this)),
      splitter_(new FigureSplitter(kBars_percent, this)),
      order_(new QComboBox),
      bars_(new RankBars),
      grids_(new QComboBox),
      meaning_(new QLabel),
      map_(new SkewMap) {
  setAccessibleName(tr("Ranks"));
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  advice_->setTextFormat(Qt::PlainText);
  advice_->setWordWrap(true);
  advice_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  advice_->setContentsMargins(10, 4, 10, 4);
  for (QComboBox* box : {order_, grids_}) box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  order_->addItems({tr("Slowest first"), tr("By rank")});
  order_->setToolTip(tr("Slowest first: by own time, the step without exposed communication"));
  splitter_->set_parts(below_heading(new QLabel(tr("Sort ranks:")), order_, bars_, nullptr),
                       below_heading(new QLabel(tr("Steps x ranks:")), grids_, map_, meaning_));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(advice_);
  column->addWidget(problems_);
  column->addWidget(splitter_, 1);
  connect(order_, &QComboBox::currentIndexChanged, this, [this](int index) {
    bars_->set_order(index == 0 ? analysis::RankOrder::own_time : analysis::RankOrder::rank);
  });
  connect(grids_, &QComboBox::currentIndexChanged, this, &RanksView::show_grid);
  connect(bars_, &RankBars::rank_clicked, this, &RanksView::rank_clicked);
  connect(map_, &SkewMap::rank_clicked, this, &RanksView::rank_clicked);
}

QString RanksView::advice() const { return advice_->text(); }

void RanksView::set_job(std::shared_ptr<const OpenJob> job) {
  job_ = std::move(job);
  bars_->set_job(job_);
  QStringList advice = job_ ? lines_of(*job_, "advice") : QStringList();
  for (qsizetype i = 0; i < advice.size(); ++i) {
    advice[i] = QStringLiteral("%1. %2").arg(i + 1).arg(advice[i]);
  }
  advice_->setText(advice.join(QLatin1Char('\n')));
  advice_->setVisible(!advice.isEmpty());
  problems_->set_notes(job_ ? lines_of(*job_, "incomplete") : QStringList());
  {
    const QSignalBlocker blocker(grids_);
    grids_->clear();
    if (job_) {
      for (const analysis::StepGrid& grid : job_->grids) grids_->addItem(to_qstring(grid.title));
    }
  }
  show_grid();
}

void RanksView::show_grid() {
  const auto index = static_cast<std::size_t>(std::max(0, grids_->currentIndex()));
  const bool has_grid = job_ && index < job_->grids.size();
  map_->set_job(job_, index);
  grids_->setEnabled(has_grid);
  meaning_->setText(has_grid ? to_qstring(job_->grids[index].meaning)
                             : tr("Not available: no steps were found."));
}

void RanksView::show_everything() {
  order_->setCurrentIndex(0);
  grids_->setCurrentIndex(0);
  bars_->scroll_to_top();
}

void RanksView::paint_figure(QPainter& painter) const {
  if (!job_) return;
  const int width = splitter_->widget(0)->width();
  if (bars_->chart()->has_chart()) bars_->chart()->paint_figure(painter, width);
  painter.save();
  painter.translate(width, 0);
  painter.setFont(font());
  map_->paint_figure(painter, map_->size());
  painter.restore();
}

std::vector<analysis::Table> RanksView::tables() const {
  if (!job_) return {};
  std::vector<analysis::Table> tables = {analysis::ranks_table(job_->ranks)};
  if (!job_->ranks.problems.empty()) tables.push_back(analysis::problems_table(job_->ranks));
  return tables;
}

void RanksView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  splitter_->distribute();
}

}  // namespace mansard::gui
