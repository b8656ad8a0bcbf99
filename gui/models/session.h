// SPDX-License-Identifier: Apache-2.0
// What is open, kept for the next time.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <vector>

class QSettings;

namespace mansard::gui {

struct SessionPage {
  QString file;
  QString baseline;  // empty: compared with nothing
  bool second_side = false;
  bool operator==(const SessionPage&) const = default;
};

struct Session {
  std::vector<SessionPage> pages;
  QString current;         // a page's file
  QStringList machines;    // models that runs are compared with
  QByteArray geometry;     // of the window; see QWidget::saveGeometry()
  QByteArray arrangement;  // of the docks; see RunPage::arrangement()
  bool operator==(const Session&) const = default;
};

void save_session(const Session& session, QSettings& settings);
// Settings that another program or version wrote, or nobody, give a session with less in it.
Session read_session(QSettings& settings);

}  // namespace mansard::gui
