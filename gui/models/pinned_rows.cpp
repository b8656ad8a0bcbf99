// SPDX-License-Identifier: Apache-2.0
#include "gui/models/pinned_rows.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <QUrl>

namespace mansard::gui {

// The percent-encoded path is one level of the key: QSettings separates levels by slashes.
QString file_key(const QString& group, const QString& file) {
  const QString path = QDir::cleanPath(QFileInfo(file).absoluteFilePath());
  return group + QLatin1Char('/') + QString::fromLatin1(QUrl::toPercentEncoding(path));
}

QStringList PinnedRows::all() const { return settings_->value(key_).toStringList().mid(0, kMax); }

void PinnedRows::set(const QStringList& names) {
  if (names.isEmpty()) {
    settings_->remove(key_);
  } else {
    settings_->setValue(key_, names.mid(0, kMax));
  }
}

}  // namespace mansard::gui
