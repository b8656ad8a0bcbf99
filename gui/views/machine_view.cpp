// SPDX-License-Identifier: Apache-2.0
#include "gui/views/machine_view.h"

#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/models/row_facts.h"
#include "gui/views/figure_splitter.h"
#include "gui/views/finding_table.h"
#include "gui/views/painting.h"
#include "gui/views/sample_plot_view.h"
#include "gui/views/sweep_plot_view.h"
#include "gui/views/view_keys.h"
#include "gui/views/wrapped_label.h"
#include "reports/formats/machine_table.h"
#include "support/text.h"

namespace mansard::gui {
namespace {

QString text_of(const std::string& text) { return to_qstring(one_line(text)); }

QString about(const roofline::DeviceModel& device, const roofline::Provenance& provenance) {
  QString text = text_of(device.device.name);
  const std::string what = reports::describe(device.device);
  if (!what.empty()) text += QStringLiteral(": ") + text_of(what);
  QString how = text_of(reports::describe(provenance));
  if (!how.isEmpty()) how[0] = how[0].toUpper();
  return text + QStringLiteral(". ") + how;
}

QString facts_of(const roofline::Ceiling& c) {
  QStringList parts{text_of(c.id), text_of(std::string(roofline::to_string(c.regime)))};
  if (c.spread > 0) parts << MachineView::tr("spread %1").arg(percent_text(c.spread));
  if (c.uncertainty > 0) parts << MachineView::tr("± %1").arg(percent_text(c.uncertainty));
  if (c.campaigns > 0) {
    parts << count_text(static_cast<std::int64_t>(c.samples.size()), "sample", "samples") +
                 MachineView::tr(" in %1").arg(count_text(c.campaigns, "campaign", "campaigns"));
  }
  if (c.temperature_c > 0) parts << MachineView::tr("%1 °C").arg(c.temperature_c);
  if (!c.throttled_by.empty()) {
    parts << MachineView::tr("clock throttled by %1").arg(text_of(c.throttled_by));
  }
  for (const auto& [name, value] : c.parameters) {
    parts << text_of(name + " " + value).replace(QLatin1Char('_'), QLatin1Char(' '));
  }
  return parts.join(QStringLiteral(", "));
}

}  // namespace

MachineView::MachineView(SelectionModel* selection, QWidget* parent)
    : RunView(selection, parent),
      stack_(new QStackedWidget(this)),
      message_(wrapped_label()),
      about_(wrapped_label()),
      splitter_(new QSplitter),
      kinds_(new QTabWidget),
      facts_(wrapped_label()),
      figures_(new QTabWidget),
      samples_(new SamplePlotView(figures_)),
      sweep_(new SweepPlotView(figures_)) {
  message_->setAlignment(Qt::AlignCenter);
  message_->setMargin(24);
  about_->setContentsMargins(12, 8, 12, 8);
  facts_->setContentsMargins(12, 6, 12, 6);
  samples_->hide();  // until added as a tab
  sweep_->hide();
  kinds_->setDocumentMode(true);
  figures_->setDocumentMode(true);
  figures_->setTabBarAutoHide(true);
  auto* right = new QWidget;
  auto* right_layout = new QVBoxLayout(right);
  right_layout->setContentsMargins(0, 0, 0, 0);
  right_layout->setSpacing(0);
  right_layout->addWidget(figures_, 1);
  right_layout->addWidget(facts_);
  splitter_->addWidget(kinds_);
  splitter_->addWidget(right);
  splitter_->setStretchFactor(0, 1);
  splitter_->setStretchFactor(1, 1);
  splitter_->setChildrenCollapsible(false);
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(about_);
  layout->addWidget(splitter_, 1);
  stack_->addWidget(message_);
  stack_->addWidget(content);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(stack_);
  setAccessibleName(tr("Machine"));
  connect(kinds_, &QTabWidget::currentChanged, this, [this](int) {
    const auto* table = static_cast<FindingTable*>(kinds_->currentWidget());
    if (table) choose(table, table->current().value_or(0));
  });
  show_tables();
}

void MachineView::set_run(std::shared_ptr<const OpenRun> run) {
  run_ = std::move(run);
  show_tables();
}

void MachineView::show_everything() {
  for (int i = 0; i < kinds_->count(); ++i) {
    auto* table = static_cast<FindingTable*>(kinds_->widget(i));
    table->restore_order();
    table->set_current(0);
  }
  if (kinds_->count() == 0) return;
  kinds_->setCurrentIndex(0);
  choose(static_cast<FindingTable*>(kinds_->widget(0)), 0);
  figures_->setCurrentIndex(0);
}

void MachineView::paint_figure(QPainter& painter) const {
  if (figures_->currentWidget() == sweep_) {
    sweep_->paint_figure(painter, size());
  } else {
    samples_->paint_figure(painter, size());
  }
}

std::vector<analysis::Table> MachineView::tables() const {
  if (!device()) return {};
  return reports::ceiling_tables(*device(), run_->analysis.machine_provenance.origin);
}

QString MachineView::message() const {
  return stack_->currentWidget() == message_ ? message_->text() : QString();
}

void MachineView::keyPressEvent(QKeyEvent* event) {
  if (!handle_view_key(*this, *selection(), *event)) RunView::keyPressEvent(event);
}

void MachineView::resizeEvent(QResizeEvent* event) {
  RunView::resizeEvent(event);
  splitter_->setOrientation(width() >= kFigureBesideTables_px ? Qt::Horizontal : Qt::Vertical);
}

const roofline::DeviceModel* MachineView::device() const {
  return run_ && run_->analysis.machine ? &*run_->analysis.machine : nullptr;
}

void MachineView::show_tables() {
  chosen_ = nullptr;
  samples_->set_ceiling(nullptr);
  {
    const QSignalBlocker of_another_run(kinds_);  // ignore tab changes while tables are removed
    while (kinds_->count() > 0) {
      QWidget* page = kinds_->widget(0);
      kinds_->removeTab(0);
      page->deleteLater();
    }
  }
  const std::vector<analysis::Table> all = tables();
  stack_->setCurrentIndex(all.empty() ? 0 : 1);
  if (all.empty()) {
    message_->setText(
        !run_      ? no_run_text()
        : device() ? tr("The machine model contains no ceilings.")
                   : tr("No machine model matches the device of this profile. Choose one with "
                        "File > Use machine model (Ctrl+M)."));
    return;
  }
  const roofline::Provenance& provenance = run_->analysis.machine_provenance;
  about_->setText(
      about(*device(), provenance) + QLatin1Char('.') +
      (provenance.command.empty() ? QString() : QLatin1Char('\n') + text_of(provenance.command)));
  for (const analysis::Table& table : all) {
    auto* page = new FindingTable;
    page->set_table(table);
    page->set_current(0);
    connect(page, &FindingTable::row_chosen, this,
            [this, page](std::size_t row) { choose(page, row); });
    kinds_->addTab(page, to_qstring(table.title));
  }
  choose(static_cast<FindingTable*>(kinds_->widget(0)), 0);
}

void MachineView::choose(const FindingTable* table, std::size_t row) {
  const std::vector<const roofline::Ceiling*> behind =
      reports::ceilings_behind(table->table(), *device());
  if (row >= behind.size()) return;
  chosen_ = behind[row];
  samples_->set_ceiling(chosen_);
  facts_->setText(facts_of(*chosen_));
  const bool of_memory = chosen_->role == kernels::KernelRole::bandwidth_ceiling ||
                         chosen_->role == kernels::KernelRole::latency_ceiling;
  const bool of_messages =
      std::ranges::any_of(device()->sweep, [this](const roofline::SweepPoint& p) {
        return p.kernel == chosen_->kernel && p.axis() == roofline::SweepAxis::message;
      });
  sweep_->set_device(of_memory ? device() : nullptr, chosen_->unit,
                     of_messages ? roofline::SweepAxis::message : roofline::SweepAxis::working_set);
  const bool has_curve = sweep_->drawing().has_value();
  const bool on_curve = figures_->currentWidget() == sweep_;
  figures_->clear();
  figures_->addTab(samples_, tr("Samples"));
  if (has_curve)
    figures_->addTab(sweep_, of_messages ? tr("Message sizes") : tr("Working-set curve"));
  if (has_curve && on_curve) figures_->setCurrentWidget(sweep_);
}

}  // namespace mansard::gui
