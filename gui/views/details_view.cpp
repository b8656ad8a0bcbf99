// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details_view.h"

#include <QTextBrowser>
#include <QVBoxLayout>

#include "gui/models/counter_facts.h"
#include "gui/models/launch_facts.h"
#include "gui/models/row_facts.h"

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

}  // namespace

DetailsView::DetailsView(SelectionModel* shared, QWidget* parent)
    : RunView(shared, parent), browser_(new QTextBrowser(this)) {
  browser_->setFrameShape(QFrame::NoFrame);
  browser_->setAccessibleName(tr("Details of the selected kernel"));
  browser_->document()->setDocumentMargin(10);
  setFocusProxy(browser_);
  setAccessibleName(tr("Details"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(browser_);
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
  if (row == nullptr) {
    browser_->setHtml(
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
  return {std::move(table)};
}

}  // namespace mansard::gui
