// SPDX-License-Identifier: Apache-2.0
#include "gui/views/run_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "gui/models/row_facts.h"
#include "gui/views/kernel_table_view.h"
#include "gui/views/notes_bar.h"
#include "gui/views/painting.h"
#include "gui/views/roofline_view.h"

namespace mansard {
namespace {

// "NVIDIA H200 | 3.21 s, device busy 87 % | 12,345 launches of 10 kernels"
QString summary_of(const RunAnalysis& run) {
  QStringList parts;
  parts << (run.machine ? QString::fromStdString(run.machine->device.name)
                        : QObject::tr("unknown machine"));
  if (run.span_s > 0) {
    parts << QObject::tr("%1, busy %2")
                 .arg(quantity_text(run.span_s, "s"), percent_text(run.busy_s / run.span_s));
  }
  if (!run.rows.empty()) {
    std::int64_t launches = 0;
    for (const KernelRow& row : run.rows) launches += row.launches;
    parts << QObject::tr("%1 of %2")
                 .arg(count_text(launches, "launch", "launches"),
                      count_text(static_cast<std::int64_t>(run.rows.size()), "kernel", "kernels"));
  }
  return parts.join(QStringLiteral("   \u00b7   "));
}

QStringList notes_of(const RunAnalysis& run, const PlaneFigure& figure) {
  QStringList notes;
  for (const std::string& note : run.notes) notes << QString::fromStdString(note);
  // The analysis notes the rows whose work is not known; others have bytes but no FLOPs (copies),
  // and a speed of light, but no place on a roofline.
  std::vector<bool> drawn(run.rows.size(), false);
  for (const PlanePoint& point : figure.points) drawn[point.row] = true;
  std::int64_t count = 0;
  double share = 0;
  for (std::size_t i = 0; i < run.rows.size(); ++i) {
    if (drawn[i] || run.rows[i].origin == WorkOrigin::none) continue;
    ++count;
    share += run.rows[i].share;
  }
  if (count > 0) {
    notes << QObject::tr("In the table only, for want of FLOPs or of bytes: %1, %2 of the time.")
                 .arg(count_text(count, "kernel", "kernels"), percent_text(share));
  }
  return notes;
}

}  // namespace

RunPage::RunPage(std::unique_ptr<RunDocument> document, QWidget* parent)
    : QWidget(parent),
      document_(std::move(document)),
      selection_(new SelectionModel(this)),
      stack_(new QStackedWidget(this)),
      message_(new QLabel(this)),
      notes_(new NotesBar(this)),
      roofline_(new RooflineView(selection_, this)),
      table_(new KernelTableView(selection_, this)) {
  message_->setAlignment(Qt::AlignCenter);
  message_->setWordWrap(true);
  message_->setTextFormat(Qt::PlainText);
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  message_->setMargin(40);

  auto* views = new QSplitter(Qt::Vertical, this);
  views->addWidget(roofline_);
  views->addWidget(table_);
  views->setSizes({600, 400});
  views->setStretchFactor(0, 3);
  views->setStretchFactor(1, 2);
  views->setChildrenCollapsible(false);

  auto* content = new QWidget(this);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(make_header());
  column->addWidget(notes_);
  column->addWidget(views, 1);

  stack_->addWidget(message_);
  stack_->addWidget(content);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(stack_);

  connect(document_.get(), &RunDocument::changed, this, &RunPage::show_document);
  connect(roofline_, &RooflineView::level_changed, this, &RunPage::show_levels);
  show_document();
}

RunPage::~RunPage() = default;

QWidget* RunPage::make_header() {
  auto* header = new QWidget(this);
  summary_ = new QLabel(header);
  summary_->setTextFormat(Qt::PlainText);
  level_ = new QComboBox(header);
  level_->setToolTip(tr("The memory tier whose bytes make the intensity (T)"));
  level_label_ = new QLabel(tr("Points at"), header);
  auto* row = new QHBoxLayout(header);
  row->setContentsMargins(10, 6, 10, 6);
  row->addWidget(summary_, 1);
  row->addWidget(level_label_);
  row->addWidget(level_);
  connect(level_, &QComboBox::activated, this, [this](int index) {
    roofline_->set_level(roofline_->scene().levels()[static_cast<std::size_t>(index)]);
  });
  return header;
}

const KernelRow* RunPage::selected_row() const {
  const auto run = document_->run();
  const SelectionModel::Row row = selection_->selected();
  return run && row && *row < run->rows.size() ? &run->rows[*row] : nullptr;
}

QString RunPage::message() const {
  return stack_->currentWidget() == message_ ? message_->text() : QString();
}

void RunPage::show_document() {
  const auto run = document_->run();
  // Row numbers of another run mean nothing here.
  selection_->hover(std::nullopt);
  selection_->select(std::nullopt);
  roofline_->set_run(run);
  table_->set_run(run);
  if (!run) {
    const bool failed = document_->state() == RunDocument::State::failed;
    message_->setText(failed ? tr("Cannot show %1\n\n%2\n\nF5 tries again.")
                                   .arg(document_->title(), document_->error())
                             : tr("Loading %1 ...").arg(document_->title()));
    stack_->setCurrentIndex(0);
    return;
  }
  table_->setVisible(!run->rows.empty());  // a machine model alone has no kernels
  summary_->setText(summary_of(*run));
  notes_->set_notes(notes_of(*run, roofline_->scene().figure()));
  stack_->setCurrentIndex(1);
}

void RunPage::show_levels() {
  const std::vector<MemoryLevel>& levels = roofline_->scene().levels();
  level_->clear();
  for (const MemoryLevel level : levels) {
    level_->addItem(to_qstring(info(level).label));
    if (level == roofline_->scene().level()) level_->setCurrentIndex(level_->count() - 1);
  }
  level_->setVisible(levels.size() > 1);
  level_label_->setVisible(levels.size() > 1);
}

}  // namespace mansard
