// SPDX-License-Identifier: Apache-2.0
#include "gui/views/welcome_page.h"

#include <QFileInfo>
#include <QLabel>

namespace mansard::gui {

WelcomePage::WelcomePage(QWidget* parent) : QScrollArea(parent), text_(new QLabel(this)) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setWidget(text_);
  text_->setAlignment(Qt::AlignCenter);
  text_->setMargin(40);
  text_->setTextFormat(Qt::RichText);
  text_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  text_->setAccessibleName(tr("Welcome"));
  connect(text_, &QLabel::linkActivated, this, &WelcomePage::follow);
  set_recent({});
}

void WelcomePage::set_recent(const QStringList& files) {
  recent_ = files;
  QString html = QStringLiteral("<p>%1</p><table cellspacing='8'>")
                     .arg(tr("Drop a recorded run or a machine model here, or press Ctrl+O."));
  const auto line = [](const char* link, const QString& name, const QString& what) {
    return QStringLiteral("<tr><td><a href='%1'>%2</a></td><td>%3</td></tr>")
        .arg(QString::fromUtf8(link), name, what);
  };
  html += line("characterize", tr("Measure this machine"), tr("its ceilings, for rooflines"));
  html += line("profile", tr("Profile a program"), tr("what it does, kernel by kernel"));
  html += QStringLiteral("</table>");
  if (!recent_.isEmpty()) {
    html += QStringLiteral("<p><b>%1</b></p><table cellspacing='4'>").arg(tr("Opened last"));
    for (qsizetype i = 0; i < recent_.size(); ++i) {
      const QFileInfo file(recent_[i]);
      html += QStringLiteral("<tr><td>%1</td><td>%2</td></tr>")
                  .arg(file.exists() ? QStringLiteral("<a href='%1'>%2</a>")
                                           .arg(QString::number(i), file.fileName().toHtmlEscaped())
                                     : tr("%1 (gone)").arg(file.fileName().toHtmlEscaped()),
                       file.path().toHtmlEscaped());
    }
    html += QStringLiteral("</table>");
  }
  text_->setText(html);
}

void WelcomePage::follow(const QString& link) {
  if (link == QLatin1String("characterize")) return Q_EMIT characterize_asked();
  if (link == QLatin1String("profile")) return Q_EMIT profile_asked();
  bool ok = false;
  const qsizetype number = link.toInt(&ok);
  if (ok && number >= 0 && number < recent_.size()) Q_EMIT chosen(recent_[number]);
}

}  // namespace mansard::gui
