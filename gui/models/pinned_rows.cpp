// SPDX-License-Identifier: Apache-2.0
#include "gui/models/pinned_rows.h"

#include <QSettings>

namespace mansard::gui {

QStringList PinnedRows::all() const { return settings_->value(key_).toStringList().mid(0, kMax); }

void PinnedRows::set(const QStringList& names) {
  if (names.isEmpty()) {
    settings_->remove(key_);
  } else {
    settings_->setValue(key_, names.mid(0, kMax));
  }
}

}  // namespace mansard::gui
