// SPDX-License-Identifier: Apache-2.0
#include "gui/views/details_view.h"

#include "gui/models/row_facts.h"

namespace mansard {
namespace {

// The text engine breaks lines at spaces only; template names have few.
QString breakable(const QString& name) {
  QString out = name.toHtmlEscaped();
  for (const char* after : {"::", ",", "(", "&lt;", "_"}) {
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
    html += QStringLiteral("<tr><td width='38%'>%1</td><td>%2</td></tr>")
                .arg(fact.label.toHtmlEscaped(), fact.value.toHtmlEscaped());
  }
  return html + QStringLiteral("</table>");
}

}  // namespace

DetailsView::DetailsView(QWidget* parent) : QTextBrowser(parent) {
  setFrameShape(QFrame::NoFrame);
  setAccessibleName(tr("Details of the selected kernel"));
  document()->setDocumentMargin(10);
  show_row(nullptr);
}

void DetailsView::show_row(const KernelRow* row) {
  if (row == nullptr) {
    setHtml(QStringLiteral("<p>%1</p>")
                .arg(tr("Select a kernel in the figure or in the table to see what it did and what "
                        "bounds it.")));
    return;
  }
  QString html =
      QStringLiteral("<p style='font-size:large'><b>%1</b></p>").arg(breakable(display_name(*row)));
  for (const FactSection& section : facts(*row)) html += to_html(section);
  html += QStringLiteral("<p style='margin:10px 0 2px 0'><b>%1</b></p><p>%2</p>")
              .arg(tr("Full name"), breakable(QString::fromStdString(row->name)));
  setHtml(html);
}

}  // namespace mansard
