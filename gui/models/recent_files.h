// SPDX-License-Identifier: Apache-2.0
// The files opened last, kept from one start to the next.
#pragma once

#include <QStringList>

class QSettings;

namespace mansard::gui {

class RecentFiles {
 public:
  static constexpr qsizetype kMost = 12;

  // `settings` must outlive it. What others wrote into them, or a broken file left, is survived.
  explicit RecentFiles(QSettings* settings) : settings_(settings) {}

  // Absolute paths, each once: those that exist first, of either the newest first. Looks at the
  // file system.
  QStringList all() const;
  void add(const QString& file);  // as the newest
  void remove(const QString& file);
  void clear();

 private:
  QStringList read() const;  // the newest first
  void write(const QStringList& files);

  QSettings* settings_;
};

}  // namespace mansard::gui
