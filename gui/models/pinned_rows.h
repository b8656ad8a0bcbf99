// SPDX-License-Identifier: Apache-2.0
// The pinned timeline rows of each file, stored in the settings.
#pragma once

#include <QString>
#include <QStringList>

#include "gui/models/file_key.h"

class QSettings;

namespace mansard::gui {

class PinnedRows {
 public:
  static constexpr qsizetype kMax = 200;  // per file

  // `settings` must outlive this object.
  PinnedRows(QSettings* settings, const QString& file)
      : settings_(settings), key_(file_key(QStringLiteral("pinned_rows"), file)) {}

  QStringList all() const;  // names, see TimelineView::pins()
  void set(const QStringList& names);

 private:
  QSettings* settings_;
  QString key_;
};

}  // namespace mansard::gui
