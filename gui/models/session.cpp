// SPDX-License-Identifier: Apache-2.0
#include "gui/models/session.h"

#include <QSettings>

namespace mansard::gui {

void save_session(const Session& session, QSettings& settings) {
  settings.remove(QStringLiteral("session"));
  settings.beginGroup(QStringLiteral("session"));
  settings.beginWriteArray(QStringLiteral("pages"), static_cast<int>(session.pages.size()));
  for (std::size_t i = 0; i < session.pages.size(); ++i) {
    settings.setArrayIndex(static_cast<int>(i));
    settings.setValue(QStringLiteral("file"), session.pages[i].file);
    settings.setValue(QStringLiteral("baseline"), session.pages[i].baseline);
    settings.setValue(QStringLiteral("second_side"), session.pages[i].second_side);
  }
  settings.endArray();
  settings.beginWriteArray(QStringLiteral("jobs"), static_cast<int>(session.jobs.size()));
  for (std::size_t i = 0; i < session.jobs.size(); ++i) {
    settings.setArrayIndex(static_cast<int>(i));
    settings.setValue(QStringLiteral("files"), session.jobs[i].files);
    settings.setValue(QStringLiteral("summaries"), session.jobs[i].summaries);
  }
  settings.endArray();
  settings.setValue(QStringLiteral("current"), session.current);
  settings.setValue(QStringLiteral("machines"), session.machines);
  settings.setValue(QStringLiteral("geometry"), session.geometry);
  settings.setValue(QStringLiteral("arrangement"), session.arrangement);
  settings.endGroup();
}

Session read_session(QSettings& settings) {
  Session session;
  settings.beginGroup(QStringLiteral("session"));
  const int pages = settings.beginReadArray(QStringLiteral("pages"));
  for (int i = 0; i < pages; ++i) {
    settings.setArrayIndex(i);
    SessionPage page{settings.value(QStringLiteral("file")).toString(),
                     settings.value(QStringLiteral("baseline")).toString(),
                     settings.value(QStringLiteral("second_side")).toBool()};
    if (!page.file.isEmpty()) session.pages.push_back(std::move(page));
  }
  settings.endArray();
  const int jobs = settings.beginReadArray(QStringLiteral("jobs"));
  for (int i = 0; i < jobs; ++i) {
    settings.setArrayIndex(i);
    SessionJob job{settings.value(QStringLiteral("files")).toStringList(),
                   settings.value(QStringLiteral("summaries")).toString()};
    if (!job.files.isEmpty()) session.jobs.push_back(std::move(job));
  }
  settings.endArray();
  session.current = settings.value(QStringLiteral("current")).toString();
  session.machines = settings.value(QStringLiteral("machines")).toStringList();
  session.geometry = settings.value(QStringLiteral("geometry")).toByteArray();
  session.arrangement = settings.value(QStringLiteral("arrangement")).toByteArray();
  settings.endGroup();
  return session;
}

}  // namespace mansard::gui
