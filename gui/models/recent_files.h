// SPDX-License-Identifier: Apache-2.0
// Recently opened files, stored in the settings.
#pragma once

#include <QStringList>

class QSettings;

namespace mansard::gui {

class RecentFiles {
 public:
  static constexpr qsizetype kMax = 12;

  // `settings` must outlive this object. Invalid values in them are ignored.
  explicit RecentFiles(QSettings* settings) : settings_(settings) {}

  // Unique absolute paths: existing files first, each group newest first. Accesses the file system.
  QStringList all() const;
  void add(const QString& file);  // adds it as the newest
  void remove(const QString& file);
  void clear();

 private:
  QStringList read() const;  // newest first
  void write(const QStringList& files);

  QSettings* settings_;
};

}  // namespace mansard::gui
