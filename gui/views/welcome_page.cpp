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
  QString html =
      QStringLiteral("<p>%1<br>%2</p><p>%3<br>%4</p><table cellspacing='8'>")
          .arg(tr("Mansard compares the time of each GPU kernel with its speed-of-light "
                  "(SOL) time:"),
               tr("the shortest time its FLOPs and bytes can take on this hardware."),
               tr("To open a file, drop it here or press Ctrl+O: a profile of Mansard or "
                  "Nsight Systems (.sqlite),"),
               tr("a PyTorch trace (.json, .json.gz) or a machine model (.json)."));
  const auto line = [](const char* link, const QString& name, const QString& what) {
    return QStringLiteral("<tr><td><a href='%1'>%2</a></td><td>%3</td></tr>")
        .arg(QString::fromUtf8(link), name, what);
  };
  html += line("characterize", tr("Measure this machine"),
               tr("peak FLOP/s and bandwidths: the ceilings of the roofline"));
  html += line("profile", tr("Profile a program"), tr("record its kernels, memcpys and API calls"));
  html += QStringLiteral("</table>");
  if (!recent_.isEmpty()) {
    html += QStringLiteral("<p><b>%1</b></p><table cellspacing='4'>").arg(tr("Recent files"));
    for (qsizetype i = 0; i < recent_.size(); ++i) {
      const QFileInfo file(recent_[i]);
      html += QStringLiteral("<tr><td>%1</td><td>%2</td></tr>")
                  .arg(file.exists() ? QStringLiteral("<a href='%1'>%2</a>")
                                           .arg(QString::number(i), file.fileName().toHtmlEscaped())
                                     : tr("%1 (missing)").arg(file.fileName().toHtmlEscaped()),
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
