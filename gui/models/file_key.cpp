// SPDX-License-Identifier: Apache-2.0
#include "gui/models/file_key.h"

#include <QDir>
#include <QFileInfo>
#include <QUrl>

namespace mansard::gui {

// The percent-encoded path is one level of the key: QSettings separates levels by slashes.
QString file_key(const QString& group, const QString& file) {
  const QString path = QDir::cleanPath(QFileInfo(file).absoluteFilePath());
  return group + QLatin1Char('/') + QString::fromLatin1(QUrl::toPercentEncoding(path));
}

}  // namespace mansard::gui
