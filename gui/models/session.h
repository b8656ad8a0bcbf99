// SPDX-License-Identifier: Apache-2.0
// The open files and window layout, stored for the next start.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <vector>

class QSettings;

namespace mansard::gui {

struct SessionPage {
  QString file;
  QString baseline;  // empty: no baseline
  bool second_side = false;
  bool operator==(const SessionPage&) const = default;
};

struct SessionJob {
  QStringList files;  // files, patterns, or a folder
  QString summaries;  // folder; may be empty
  bool operator==(const SessionJob&) const = default;
};

struct Session {
  std::vector<SessionPage> pages;
  std::vector<SessionJob> jobs;
  QString current;         // file of the current page
  QStringList machines;    // machine models used for the analysis
  QByteArray geometry;     // see QWidget::saveGeometry()
  QByteArray arrangement;  // dock layout; see RunPage::arrangement()
  bool operator==(const Session&) const = default;
};

void save_session(const Session& session, QSettings& settings);
// Missing or invalid settings are skipped.
Session read_session(QSettings& settings);

}  // namespace mansard::gui
