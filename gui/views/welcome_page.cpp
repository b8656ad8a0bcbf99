// SPDX-License-Identifier: Apache-2.0
#include "gui/views/welcome_page.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QEvent>
#include <QFileInfo>
#include <QLabel>
#include <QLocale>

namespace mansard::gui {

WelcomePage::WelcomePage(QWidget* parent) : QScrollArea(parent), text_(new QLabel(this)) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setWidget(text_);
  text_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  text_->setWordWrap(true);
  text_->setMargin(40);
  text_->setTextFormat(Qt::RichText);
  text_->setTextInteractionFlags(Qt::TextBrowserInteraction);
  text_->setAccessibleName(tr("Welcome"));
  connect(text_, &QLabel::linkActivated, this, &WelcomePage::follow);
  set_examples(examples_in(examples_folder(QCoreApplication::applicationDirPath())));
}

void WelcomePage::set_recent(const QStringList& files) {
  recent_ = files;
  write();
}

void WelcomePage::set_examples(std::vector<Example> examples) {
  examples_ = std::move(examples);
  write();
}

QString WelcomePage::text() const { return text_->text(); }

void WelcomePage::write() {
  const QString gray = palette().color(QPalette::Disabled, QPalette::WindowText).name();
  const auto heading = [](const QString& text) {
    return QStringLiteral("<p style='margin-top:18px;margin-bottom:2px'><b>%1</b></p>").arg(text);
  };
  const auto line = [](const QString& link, const QString& name, const QStringList& more) {
    QString row = QStringLiteral("<tr><td><a href='%1'>%2</a></td>").arg(link, name);
    for (const QString& text : more) row += QStringLiteral("<td>%1</td>").arg(text);
    return row + QStringLiteral("</tr>");
  };
  const QString table = QStringLiteral("<table cellspacing='0' cellpadding='4'>");
  const QString end = QStringLiteral("</table>");
  QString html = QStringLiteral("<h2>Mansard</h2><p>%1</p><p>%2</p>")
                     .arg(tr("Mansard compares the time of each GPU kernel with its speed-of-light "
                             "(SOL) time: the shortest time its FLOPs and bytes can take on this "
                             "hardware."),
                          tr("To open a file, drop it here or press Ctrl+O: a profile of Mansard "
                             "or Nsight Systems (.sqlite), a PyTorch trace (.json, .json.gz) or a "
                             "machine model (.json)."));
  if (!recent_.isEmpty()) {
    html += heading(tr("Recent files")) + table;
    for (qsizetype i = 0; i < recent_.size(); ++i) {
      const QFileInfo file(recent_[i]);
      const QString name = file.fileName().toHtmlEscaped();
      const QString folder = file.path().toHtmlEscaped();
      if (file.exists()) {
        html += line(QString::number(i), name,
                     {folder, QLocale().toString(file.lastModified(), QLocale::ShortFormat)});
      } else {
        html += QStringLiteral("<tr style='color:%1'><td>%2</td><td>%3</td><td>%4</td></tr>")
                    .arg(gray, name, folder, tr("missing"));
      }
    }
    html += end;
  }
  if (!examples_.empty()) {
    html += heading(tr("Examples")) + table;
    for (std::size_t i = 0; i < examples_.size(); ++i) {
      html += line(QStringLiteral("example:%1").arg(i), examples_[i].title.toHtmlEscaped(),
                   {QFileInfo(examples_[i].file).fileName().toHtmlEscaped()});
    }
    html += end;
  }
  html += heading(tr("Record and measure")) + table +
          line(QStringLiteral("profile"), tr("Profile a program"),
               {tr("record its kernels, memcpys and API calls")}) +
          line(QStringLiteral("characterize"), tr("Measure this machine"),
               {tr("peak FLOP/s and bandwidths: the ceilings of the roofline")}) +
          end;
  text_->setText(html);
}

void WelcomePage::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) write();  // the gray of missing files
  QScrollArea::changeEvent(event);
}

void WelcomePage::follow(const QString& link) {
  if (link == QLatin1String("characterize")) return Q_EMIT characterize_asked();
  if (link == QLatin1String("profile")) return Q_EMIT profile_asked();
  const QString prefix = QStringLiteral("example:");
  if (link.startsWith(prefix)) {
    const std::size_t number = link.mid(prefix.size()).toULongLong();
    if (number < examples_.size()) Q_EMIT example_chosen(examples_[number]);
    return;
  }
  bool ok = false;
  const qsizetype number = link.toInt(&ok);
  if (ok && number >= 0 && number < recent_.size()) Q_EMIT chosen(recent_[number]);
}

}  // namespace mansard::gui
