// SPDX-License-Identifier: Apache-2.0
#include "gui/models/recent_files.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>
#include <algorithm>

namespace mansard::gui {
namespace {

const QString kRecentFilesKey = QStringLiteral("recent_files");
// PATH_MAX of Linux: longer strings are not paths.
constexpr qsizetype kMaxPathLength = 4096;

bool is_plausible(const QString& path) {
  return QDir::isAbsolutePath(path) && path.size() < kMaxPathLength && !path.contains(QChar(0));
}

QString absolute(const QString& file) {
  return QDir::cleanPath(QFileInfo(file).absoluteFilePath());
}

}  // namespace

QStringList RecentFiles::read() const {
  QStringList files;
  for (const QString& file : settings_->value(kRecentFilesKey).toStringList()) {
    if (!is_plausible(file)) continue;
    const QString path = QDir::cleanPath(file);
    if (!files.contains(path)) files << path;
    if (files.size() == kMax) break;
  }
  return files;
}

QStringList RecentFiles::all() const {
  QStringList files = read();
  std::stable_partition(files.begin(), files.end(),
                        [](const QString& file) { return QFileInfo(file).isFile(); });
  return files;
}

void RecentFiles::add(const QString& file) {
  if (file.isEmpty()) return;
  const QString path = absolute(file);
  if (!is_plausible(path)) return;
  QStringList files = read();
  files.removeAll(path);
  files.prepend(path);
  write(files.mid(0, kMax));
}

void RecentFiles::remove(const QString& file) {
  QStringList files = read();
  if (files.removeAll(absolute(file)) > 0) write(files);
}

void RecentFiles::clear() { settings_->remove(kRecentFilesKey); }

void RecentFiles::write(const QStringList& files) { settings_->setValue(kRecentFilesKey, files); }

}  // namespace mansard::gui
