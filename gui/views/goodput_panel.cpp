// SPDX-License-Identifier: Apache-2.0
#include "gui/views/goodput_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "analyzer/goodput/checkpoint_interval.h"
#include "analyzer/goodput/expected_goodput.h"
#include "analyzer/goodput/goodput_tables.h"
#include "gui/views/goodput_fields.h"
#include "gui/views/interval_chart.h"
#include "gui/views/painting.h"
#include "gui/views/table_page.h"
#include "support/units.h"

namespace mansard::gui {
namespace {

constexpr std::size_t kShownChanges = 3;  // as bars of the wall time
constexpr double kMinute_s = 60;
constexpr double kSame = 1e-6;  // relative difference of equal intervals

analysis::Table table_of(const analysis::Finding& finding, std::string_view id) {
  const auto found = std::ranges::find(finding.tables, id, &analysis::Table::id);
  return found == finding.tables.end() ? analysis::Table() : *found;
}

std::vector<IntervalChart::Mark> marks_of(const analysis::GoodputJob& job,
                                          const analysis::Goodput& goodput) {
  const auto mark = [](const QString& name, const analysis::Goodput& g) {
    return IntervalChart::Mark{QStringLiteral("%1: %2, %3")
                                   .arg(name, to_qstring(analysis::duration_text(g.interval_s)),
                                        to_qstring(format_percent(g.fraction()))),
                               g.interval_s / kMinute_s};
  };
  analysis::GoodputJob free = job;
  free.interval_s.reset();
  try {
    const analysis::Goodput best = analysis::expected_goodput(free);
    if (std::fabs(best.interval_s - goodput.interval_s) < kSame * best.interval_s) {
      return {mark(QObject::tr("chosen = best"), goodput)};
    }
    return {mark(QObject::tr("chosen"), goodput), mark(QObject::tr("best"), best)};
  } catch (const std::runtime_error&) {
    return {mark(QObject::tr("chosen"), goodput)};  // partial recovery loses too many samples
  }
}

}  // namespace

GoodputPanel::GoodputPanel(QWidget* parent)
    : View(parent),
      form_(new QWidget(this)),
      fields_(new GoodputFields),
      summary_(new QLabel),
      tabs_(new QTabWidget),
      figures_(new QWidget),
      split_(new ChartView),
      sweep_(new IntervalChart),
      changes_(new ChartView),
      chain_(new ChartView) {
  setAccessibleName(tr("Goodput"));
  summary_->setTextFormat(Qt::PlainText);
  summary_->setWordWrap(true);
  summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  summary_->setContentsMargins(10, 6, 10, 4);
  tabs_->setDocumentMode(true);

  auto* reset = new QPushButton(tr("Reset all inputs"));
  auto* form = new QVBoxLayout(form_);
  form->setContentsMargins(0, 0, 0, 6);
  auto* area = new QScrollArea;
  area->setWidget(fields_);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  form->addWidget(area, 1);
  form->addWidget(reset, 0, Qt::AlignHCenter);
  form_->setFixedWidth(std::max(420, fields_->sizeHint().width() + 24));

  auto* column = new QVBoxLayout(figures_);
  column->setContentsMargins(4, 4, 4, 4);
  column->setSpacing(2);
  const auto titled = [this](ChartView* chart) {
    auto* box = new QWidget;
    auto* inside = new QVBoxLayout(box);
    inside->setContentsMargins(0, 0, 0, 4);
    inside->setSpacing(0);
    auto* title = new QLabel;
    QFont strong = title->font();
    strong.setBold(true);
    title->setFont(strong);
    title->setContentsMargins(8, 2, 8, 0);
    titles_.push_back(title);
    inside->addWidget(title);
    inside->addWidget(chart);
    inside->addStretch(1);
    return box;
  };
  column->addWidget(titled(split_));
  column->addWidget(titled(sweep_));
  column->addWidget(titled(changes_));
  column->addWidget(titled(chain_));
  column->addStretch(1);
  figures_->setBackgroundRole(QPalette::Base);
  tabs_->addTab(scrolled(figures_, nullptr), tr("Overview"));

  auto* right = new QVBoxLayout;
  right->setSpacing(0);
  right->addWidget(summary_);
  right->addWidget(tabs_, 1);
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(0);
  line->addWidget(form_);
  line->addLayout(right, 1);
  connect(fields_, &GoodputFields::edited, this, &GoodputPanel::compute);
  connect(reset, &QPushButton::clicked, fields_, &GoodputFields::reset);
  connect(tabs_, &QTabWidget::currentChanged, this, &GoodputPanel::show_front_table);
  compute();
}

QString GoodputPanel::summary() const { return summary_->text(); }

void GoodputPanel::set_trained(std::optional<analysis::TrainedJob> trained) {
  trained_ = std::move(trained);
  compute();
}

void GoodputPanel::show_everything() { fields_->reset(); }

void GoodputPanel::compute() {
  finding_.reset();
  form_->setEnabled(trained_.has_value());
  if (!trained_) {
    summary_->setText(tr("No profile is open."));
    tabs_->hide();
    return;
  }
  try {
    const analysis::GoodputStudy study = analysis::goodput_study(fields_->inputs(), *trained_);
    fields_->show_used(study.inputs);
    finding_ = analysis::goodput_finding(study);
    show_finding(study);
  } catch (const std::runtime_error& e) {
    summary_->setText(tr("No result: %1").arg(QString::fromUtf8(e.what())));
    tabs_->hide();
  }
}

void GoodputPanel::show_finding(const analysis::GoodputStudy& study) {
  summary_->setText(to_qstring(finding_->summary));
  const analysis::Goodput goodput = analysis::expected_goodput(study.job);
  const analysis::Table split =
      analysis::split_table(goodput, analysis::goodput_changes(study.job, goodput), kShownChanges);
  const analysis::Table tables[] = {split, table_of(*finding_, "sweep"),
                                    table_of(*finding_, "changes"), table_of(*finding_, "chain")};
  ChartView* const charts[] = {split_, sweep_, changes_, chain_};
  for (std::size_t i = 0; i < std::size(charts); ++i) {
    charts[i]->set_table(tables[i]);
    titles_[i]->setText(to_qstring(tables[i].title));
    titles_[i]->setVisible(charts[i]->has_chart());
  }
  sweep_->set_marks(marks_of(study.job, goodput));
  // The tables of a finding are always the same ones, so that the one in front stays.
  const int wanted = static_cast<int>(finding_->tables.size()) + 1;
  while (tabs_->count() < wanted) tabs_->addTab(new TablePage, QString());
  for (int i = 1; i < wanted; ++i) {
    tabs_->setTabText(i, to_qstring(finding_->tables[static_cast<std::size_t>(i - 1)].title));
  }
  tabs_->show();
  show_front_table();
}

void GoodputPanel::show_front_table() {
  const int front = tabs_->currentIndex();
  if (front < 1 || !finding_) return;
  const auto index = static_cast<std::size_t>(front - 1);
  static_cast<TablePage*>(tabs_->currentWidget())->set_table(finding_->tables[index]);
}

void GoodputPanel::paint_figure(QPainter& painter) const {
  if (!finding_) return;
  painter.save();
  painter.setFont(font());
  const int width = this->width();
  const ChartView* const charts[] = {split_, sweep_, changes_, chain_};
  for (const ChartView* chart : charts) {
    if (!chart->has_chart()) continue;
    if (chart == sweep_) {
      sweep_->paint_all(painter, width);
    } else {
      chart->paint_figure(painter, width);
    }
    painter.translate(0, chart->heightForWidth(width));
  }
  painter.restore();
}

std::vector<analysis::Table> GoodputPanel::tables() const {
  return finding_ ? finding_->tables : std::vector<analysis::Table>();
}

}  // namespace mansard::gui
