// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details_view.h"

#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>

#include "gui/models/counter_facts.h"
#include "gui/models/launch_facts.h"
#include "gui/models/row_facts.h"
#include "gui/views/launch_histogram_view.h"
#include "gui/views/painting.h"

namespace mansard::gui {
namespace {

constexpr qsizetype kLongValue = 30;  // shorter values are never wrapped

// The text engine breaks lines only at spaces, which template names rarely contain.
QString breakable(const QString& name) {
  QString out = name.toHtmlEscaped();
  for (const char* after : {"::", ",", "(", "&lt;", "_", "."}) {
    const QString mark = QString::fromUtf8(after);
    out.replace(mark, mark + QChar(0x200B));
  }
  return out;
}

QString to_html(const FactSection& section) {
  QString html;
  if (!section.title.isEmpty()) {
    html += QStringLiteral("<p style='margin:10px 0 2px 0'><b>%1</b></p>")
                .arg(section.title.toHtmlEscaped());
  }
  html += QStringLiteral("<table width='100%' cellspacing='0' cellpadding='2'>");
  for (const Fact& fact : section.facts) {
    html +=
        QStringLiteral("<tr><td width='38%'>%1</td><td>%2</td></tr>")
            .arg(breakable(fact.label), fact.value.size() < kLongValue ? fact.value.toHtmlEscaped()
                                                                       : breakable(fact.value));
  }
  return html + QStringLiteral("</table>");
}

// The name of an advice links to its most important kernel.
QString answer_html(const OpenRun& run) {
  if (!run.answer || run.answer->first.empty()) return {};
  QString html = QStringLiteral("<p style='font-size:large'><b>%1</b></p>")
                     .arg(QObject::tr("What to change first"));
  int number = 0;
  for (const analysis::Advice& advice : run.answer->first) {
    QString title = breakable(to_qstring(advice.title));
    if (!advice.rows.empty()) {
      title = QStringLiteral("<a href='%1'>%2</a>").arg(advice.rows.front()).arg(title);
    }
    const std::string saving = saving_text(advice, *run.unit);
    html += QStringLiteral("<p><b>%1. %2</b>%3<br>%4</p>")
                .arg(++number)
                .arg(title, saving.empty() ? QString() : QStringLiteral(": ") + to_qstring(saving),
                     breakable(to_qstring(advice.remedy.empty() ? advice.text : advice.remedy)));
  }
  return html;
}

}  // namespace

DetailsView::DetailsView(SelectionModel* shared, QWidget* parent)
    : RunView(shared, parent),
      browser_(new QTextBrowser(this)),
      histogram_(new LaunchHistogramView(shared, this)) {
  browser_->setFrameShape(QFrame::NoFrame);
  browser_->setAccessibleName(tr("Details of the selected kernel"));
  browser_->document()->setDocumentMargin(10);
  browser_->setOpenLinks(false);
  connect(browser_, &QTextBrowser::anchorClicked, this, [this](const QUrl& row) {
    bool ok = false;
    const std::size_t number = row.toString().toULongLong(&ok);
    if (ok && run_ && number < run_->analysis.rows.size()) selection()->select(number);
  });
  setFocusProxy(browser_);
  setAccessibleName(tr("Details"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(browser_, 3);
  layout->addWidget(histogram_, 2);
  connect(shared, &SelectionModel::selected_changed, this, &DetailsView::show_selected);
  show_selected();
}

void DetailsView::set_run(std::shared_ptr<const OpenRun> run) {
  run_ = std::move(run);
  show_selected();
}

QString DetailsView::text() const { return browser_->toPlainText().remove(QChar(0x200B)); }

void DetailsView::showEvent(QShowEvent* event) {
  if (behind_) show_selected();
  RunView::showEvent(event);
}

void DetailsView::show_selected() {
  behind_ = !isVisible();
  if (behind_) return;
  const SelectionModel::Row selected = selection()->selected();
  const analysis::KernelRow* row = nullptr;
  if (run_ && selected && *selected < run_->analysis.rows.size()) {
    row = &run_->analysis.rows[*selected];
  }
  histogram_->show_row(run_, row == nullptr ? SelectionModel::Row() : selected);
  if (row == nullptr) {
    browser_->setHtml(
        (run_ ? answer_html(*run_) : QString()) +
        QStringLiteral("<p>%1</p>")
            .arg(tr("Select a kernel in the roofline, the timeline or the table to see its time, "
                    "FLOPs, bytes and what bounds it.")));
    return;
  }
  QString html =
      QStringLiteral("<p style='font-size:large'><b>%1</b></p>").arg(breakable(display_name(*row)));
  if (selection()->selected_launch() && *selection()->selected_launch() < run_->launches.size()) {
    html += to_html(facts_of_launch(*run_, *selection()->selected_launch()));
  }
  for (const FactSection& section : facts(*row)) html += to_html(section);
  const FactSection counters = facts_of_counters(run_->analysis, *row);
  if (!counters.facts.empty()) html += to_html(counters);
  html += QStringLiteral("<p style='margin:10px 0 2px 0'><b>%1</b></p><p>%2</p>")
              .arg(tr("Full name"), breakable(label_text(row->name)));
  browser_->setHtml(html);
}

std::vector<analysis::Table> DetailsView::tables() const {
  const SelectionModel::Row selected = selection()->selected();
  if (!run_ || !selected || *selected >= run_->analysis.rows.size()) return {};
  analysis::Table table;
  table.id = "details";
  table.title = "Selected kernel";
  table.columns = {
      {"section", "section", analysis::CellFormat::text, "", "Group of properties"},
      {"fact", "fact", analysis::CellFormat::text, "", "Property"},
      {"value", "value", analysis::CellFormat::text, "", "Value with its unit"},
  };
  for (const FactSection& section : facts(run_->analysis.rows[*selected])) {
    for (const Fact& fact : section.facts) {
      table.rows.push_back(
          {section.title.toStdString(), fact.label.toStdString(), fact.value.toStdString()});
    }
  }
  std::vector<analysis::Table> tables{std::move(table)};
  if (std::optional<analysis::Table> launches = histogram_->table()) {
    tables.push_back(*std::move(launches));
  }
  return tables;
}

}  // namespace mansard::gui
